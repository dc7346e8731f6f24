package dev.millrace.bench.compare;

import java.util.Queue;

/** A queue of the JDK or of Agrona's objects: references to records, new ones or in turn. */
final class References implements Contender {
  private final Queue<HeapTick> queue;
  private final Work work;
  private final boolean pooled;

  References(Queue<HeapTick> queue, Work work) {
    this.queue = queue;
    this.work = work;
    this.pooled = work.consumers() == 1;
  }

  @Override
  public Sender sender() {
    return pooled ? new Pooled(queue, new Pool(work)) : new Fresh(queue);
  }

  @Override
  public Receiver receiver() {
    return new Consumer(queue);
  }

  private static final class Pooled extends Sender {
    private final Queue<HeapTick> queue;
    private final Pool pool;

    Pooled(Queue<HeapTick> queue, Pool pool) {
      this.queue = queue;
      this.pool = pool;
    }

    @Override
    boolean send(long number) {
      if (!queue.offer(pool.peek().set(number))) {
        return false;
      }
      pool.advance();
      return true;
    }
  }

  private static final class Fresh extends Sender {
    private final Queue<HeapTick> queue;
    private HeapTick next = new HeapTick();

    Fresh(Queue<HeapTick> queue) {
      this.queue = queue;
    }

    @Override
    boolean send(long number) {
      if (!queue.offer(next.set(number))) {
        return false;
      }
      next = new HeapTick();
      return true;
    }
  }

  private static final class Consumer extends Receiver {
    private final Queue<HeapTick> queue;

    Consumer(Queue<HeapTick> queue) {
      this.queue = queue;
    }

    @Override
    long receive() {
      HeapTick record = queue.poll();
      return record == null ? NONE : record.sum();
    }
  }
}
