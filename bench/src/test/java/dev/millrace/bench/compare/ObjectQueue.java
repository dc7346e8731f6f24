package dev.millrace.bench.compare;

import java.util.concurrent.ArrayBlockingQueue;

/** A contender whose ends do as they should; tests spoil one of them. */
class ObjectQueue implements Contender {
  final ArrayBlockingQueue<HeapTick> queue;
  private final References references;

  ObjectQueue(Work work, int capacity) {
    this.queue = new ArrayBlockingQueue<>(capacity);
    this.references = References.of(queue, work);
  }

  @Override
  public Ends ends(boolean sends, boolean receives) {
    return references.ends(sends, receives);
  }
}
