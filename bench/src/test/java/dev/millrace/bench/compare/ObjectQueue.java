package dev.millrace.bench.compare;

import java.util.concurrent.ArrayBlockingQueue;

/** A contender whose ends do as they should; tests spoil one of them. */
class ObjectQueue implements Contender {
  final ArrayBlockingQueue<HeapTick> queue;
  private final References ends;

  ObjectQueue(Work work, int capacity) {
    this.queue = new ArrayBlockingQueue<>(capacity);
    this.ends = new References(queue, work);
  }

  @Override
  public Sender sender() {
    return ends.sender();
  }

  @Override
  public Receiver receiver() {
    return ends.receiver();
  }
}
