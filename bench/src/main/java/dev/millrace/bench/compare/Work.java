package dev.millrace.bench.compare;

/**
 * A work that contenders do side by side.
 *
 * @param id its name in results
 * @param title what a reader is told
 * @param shape what is measured
 * @param producers how many threads send
 * @param consumers how many threads receive
 * @param sends how many records a producer sends at once
 * @param receives how many records a consumer receives at once, at the most
 * @param capacity the queue's
 */
record Work(
    String id,
    String title,
    Shape shape,
    int producers,
    int consumers,
    int sends,
    int receives,
    int capacity) {
  /** What is measured. */
  enum Shape {
    /** Records per second, all one way. */
    THROUGHPUT,
    /** The time that a record takes there and back. */
    ROUND_TRIP
  }

  int threads() {
    return producers + consumers;
  }
}
