package dev.millrace.bench.onethread;

/** The record of queues that pass references. */
final class HeapRecord {
  private long time;
  private long price;
  private long volume;

  HeapRecord set(long number) {
    time = number;
    price = number + 1;
    volume = number + 2;
    return this;
  }

  long sum() {
    return time + price + volume;
  }

  /** As many as a queue of {@link Loop#CAPACITY} can hold; used in turn. */
  static HeapRecord[] pool() {
    HeapRecord[] pool = new HeapRecord[Loop.CAPACITY];
    for (int i = 0; i < pool.length; i++) {
      pool[i] = new HeapRecord();
    }
    return pool;
  }
}
