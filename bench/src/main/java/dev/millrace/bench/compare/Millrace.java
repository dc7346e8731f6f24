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
      if (Tick.USUAL) {
        tick.set(number);
      } else {
        tick.setAll(number);
      }
      queue.commit(tick);
      return true;
    }

    @Override
    int send(long first, int count) {
      if (!queue.tryClaim(tick, count)) {
        return 0;
      }
      if (Tick.USUAL) {
        tick.set(first);
        for (int i = 1; i < count; i++) {
          tick.next();
          tick.set(first + i);
        }
      } else {
        setAll(first, count);
      }
      queue.commit(tick);
      return count;
    }

    private void setAll(long first, int count) {
      tick.setAll(first);
      for (int i = 1; i < count; i++) {
        tick.next();
        tick.setAll(first + i);
      }
    }
  }

  private static final class Consumer extends Receiver
      implements java.util.function.Consumer<Tick> {
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
      long sum = Tick.USUAL ? tick.sum() : tick.sumOfAll();
      queue.release(tick);
      return sum;
    }

    @Override
    int receive(int limit) {
      return Math.max(0, queue.drain(tick, this, limit));
    }

    @Override
    public void accept(Tick record) {
      batchSum += Tick.USUAL ? record.sum() : record.sumOfAll();
    }
  }
}
