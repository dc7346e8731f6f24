package dev.millrace.bench.compare;

import org.jctools.queues.MessagePassingQueue;

/** A queue of JCTools, by its relaxed forms, and {@code fill} and {@code drain} in batches. */
final class JcTools implements Contender {
  private final MessagePassingQueue<HeapTick> queue;
  private final Work work;
  private final boolean pooled;

  JcTools(MessagePassingQueue<HeapTick> queue, Work work, boolean pooled) {
    this.queue = queue;
    this.work = work;
    this.pooled = pooled;
  }

  @Override
  public Sender sender() {
    return pooled ? new Pooled(queue, new Pool(work)) : new Fresh(queue);
  }

  @Override
  public Receiver receiver() {
    return new Consumer(queue);
  }

  private static final class Pooled extends Sender
      implements MessagePassingQueue.Supplier<HeapTick> {
    private final MessagePassingQueue<HeapTick> queue;
    private final Pool pool;
    private long number;

    Pooled(MessagePassingQueue<HeapTick> queue, Pool pool) {
      this.queue = queue;
      this.pool = pool;
    }

    @Override
    boolean send(long number) {
      if (!queue.relaxedOffer(pool.peek().set(number))) {
        return false;
      }
      pool.advance();
      return true;
    }

    @Override
    int send(long first, int count) {
      number = first;
      return queue.fill(this, count);
    }

    @Override
    public HeapTick get() {
      HeapTick record = pool.peek().set(number++);
      pool.advance();
      return record;
    }
  }

  private static final class Fresh extends Sender
      implements MessagePassingQueue.Supplier<HeapTick> {
    private final MessagePassingQueue<HeapTick> queue;
    private HeapTick next = new HeapTick();
    private long number;

    Fresh(MessagePassingQueue<HeapTick> queue) {
      this.queue = queue;
    }

    @Override
    boolean send(long number) {
      if (!queue.relaxedOffer(next.set(number))) {
        return false;
      }
      next = new HeapTick();
      return true;
    }

    @Override
    int send(long first, int count) {
      number = first;
      return queue.fill(this, count);
    }

    @Override
    public HeapTick get() {
      return new HeapTick().set(number++);
    }
  }

  private static final class Consumer extends Receiver
      implements MessagePassingQueue.Consumer<HeapTick> {
    private final MessagePassingQueue<HeapTick> queue;

    Consumer(MessagePassingQueue<HeapTick> queue) {
      this.queue = queue;
    }

    @Override
    long receive() {
      HeapTick record = queue.relaxedPoll();
      return record == null ? NONE : record.sum();
    }

    @Override
    int receive(int limit) {
      return queue.drain(this, limit);
    }

    @Override
    public void accept(HeapTick record) {
      batchSum += record.sum();
    }
  }
}
