package dev.millrace.bench.compare;

import org.jctools.queues.MessagePassingQueue;

/** A queue of JCTools, by its relaxed forms, and {@code fill} and {@code drain} in batches. */
final class JcTools implements Contender {
  private final MessagePassingQueue<Record24> queue;
  private final Work work;
  private final boolean pooled;

  JcTools(MessagePassingQueue<Record24> queue, Work work, boolean pooled) {
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
      implements MessagePassingQueue.Supplier<Record24> {
    private final MessagePassingQueue<Record24> queue;
    private final Pool pool;
    private long number;

    Pooled(MessagePassingQueue<Record24> queue, Pool pool) {
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
    public Record24 get() {
      Record24 record = pool.peek().set(number++);
      pool.advance();
      return record;
    }
  }

  private static final class Fresh extends Sender
      implements MessagePassingQueue.Supplier<Record24> {
    private final MessagePassingQueue<Record24> queue;
    private Record24 next = new Record24();
    private long number;

    Fresh(MessagePassingQueue<Record24> queue) {
      this.queue = queue;
    }

    @Override
    boolean send(long number) {
      if (!queue.relaxedOffer(next.set(number))) {
        return false;
      }
      next = new Record24();
      return true;
    }

    @Override
    int send(long first, int count) {
      number = first;
      return queue.fill(this, count);
    }

    @Override
    public Record24 get() {
      return new Record24().set(number++);
    }
  }

  private static final class Consumer extends Receiver
      implements MessagePassingQueue.Consumer<Record24> {
    private final MessagePassingQueue<Record24> queue;

    Consumer(MessagePassingQueue<Record24> queue) {
      this.queue = queue;
    }

    @Override
    long receive() {
      Record24 record = queue.relaxedPoll();
      return record == null ? NONE : record.sum();
    }

    @Override
    int receive(int limit) {
      return queue.drain(this, limit);
    }

    @Override
    public void accept(Record24 record) {
      batchSum += record.sum();
    }
  }
}
