package dev.millrace.bench.compare;

/** One library's queue at one work. Each thread asks for its own end. */
interface Contender extends AutoCloseable {
  /** Makes the end of one producer. */
  Sender sender();

  /** Makes the end of one consumer. */
  Receiver receiver();

  /** Memory off the heap, as it was asked for. */
  default long offHeapBytes() {
    return 0;
  }

  /**
   * Heap that one offer allocates beside its record, or null if its works do not ask for that. To
   * be called while the queue is empty and nobody uses it.
   */
  default Double bytesPerOffer() {
    return null;
  }

  @Override
  default void close() {
    // on the heap
  }
}
