package dev.millrace.bench.compare;

/** One library's queue at one work. Each thread asks for its own ends. */
interface Contender extends AutoCloseable {
  /** Makes what a thread has of it. */
  Ends ends(boolean sends, boolean receives);

  /** Makes the end of one producer. */
  default Ends sender() {
    return ends(true, false);
  }

  /** Makes the end of one consumer. */
  default Ends receiver() {
    return ends(false, true);
  }

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
