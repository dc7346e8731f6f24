package dev.millrace.bench.compare;

import java.util.concurrent.ArrayBlockingQueue;

/** A contender whose ends do as they should; tests spoil one of them. */
class ObjectQueue implements Contender {
  private final ArrayBlockingQueue<HeapTick> queue;

  ObjectQueue(int capacity) {
    this.queue = new ArrayBlockingQueue<>(capacity);
  }

  boolean send(long number) {
    return queue.offer(new HeapTick().set(number));
  }

  long receive() {
    HeapTick record = queue.poll();
    return record == null ? Ends.NONE : record.sum();
  }

  @Override
  public final Ends ends(boolean sends, boolean receives) {
    return new Ends() {
      @Override
      boolean send(long number) {
        return ObjectQueue.this.send(number);
      }

      @Override
      long receive() {
        return ObjectQueue.this.receive();
      }
    };
  }
}
