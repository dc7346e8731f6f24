package dev.millrace.bench.compare;

import dev.millrace.bench.Tick;
import dev.millrace.queues.KFifoQueue;

/** Our queue of relaxed order, through flyweights, in place. */
final class KFifo implements Contender {
  private final KFifoQueue<Tick> queue;

  KFifo(int k, Work work) {
    this.queue = KFifoQueue.of(k, work.capacity(), Tick::new);
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
    private final KFifoQueue<Tick> queue;
    private final Tick tick;

    Producer(KFifoQueue<Tick> queue) {
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
  }

  private static final class Consumer extends Receiver {
    private final KFifoQueue<Tick> queue;
    private final Tick tick;

    Consumer(KFifoQueue<Tick> queue) {
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
  }
}
