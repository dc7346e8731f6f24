package dev.millrace.bench.compare;

import dev.millrace.bench.Tick;
import dev.millrace.queues.OffHeapQueue;

/** Any queue of ours, through flyweights, in place. */
final class Millrace implements Contender {
  private final OffHeapQueue<Tick> queue;

  Millrace(OffHeapQueue<Tick> queue) {
    this.queue = queue;
  }

  @Override
  public Sender sender() {
    return new Producer(queue);
  }

  @Override
  public Receiver receiver() {
    return new Consumer(queue);
  }

  @Override
  public long offHeapBytes() {
    return queue.memory().byteSize();
  }

  @Override
  public void close() {
    queue.abandon();
  }

  private static final class Producer extends Sender {
    private final OffHeapQueue<Tick> queue;
    private final Tick tick;

    Producer(OffHeapQueue<Tick> queue) {
      this.queue = queue;
      this.tick = queue.newFlyweight();
    }

    @Override
    boolean send(long number) {
      if (!queue.tryClaim(tick)) {
        return false;
      }
      tick.set(number);
      queue.commit(tick);
      return true;
    }

    @Override
    int send(long first, int count) {
      if (!queue.tryClaim(tick, count)) {
        return 0;
      }
      tick.set(first);
      for (int i = 1; i < count; i++) {
        tick.next();
        tick.set(first + i);
      }
      queue.commit(tick);
      return count;
    }
  }

  private static final class Consumer extends Receiver {
    private final OffHeapQueue<Tick> queue;
    private final Tick tick;

    Consumer(OffHeapQueue<Tick> queue) {
      this.queue = queue;
      this.tick = queue.newFlyweight();
    }

    @Override
    long receive() {
      if (!queue.tryPoll(tick)) {
        return NONE;
      }
      long sum = tick.sum();
      queue.release(tick);
      return sum;
    }

    @Override
    int receive(int limit) {
      return Math.max(0, queue.drain(tick, this::add, limit));
    }

    private void add(Tick record) {
      batchSum += record.sum();
    }
  }
}
