package dev.millrace.bench.compare;

import dev.millrace.bench.compare.MarketRecord.Trade;
import dev.millrace.queues.RecordQueue;
import java.util.concurrent.BlockingQueue;

/** A queue by {@code put} and {@code take}: its ends wait, and never fail. */
final class Blocking implements Contender {
  private static final Trade END = new Trade(Long.MIN_VALUE, 0, 0);

  private final BlockingQueue<Trade> queue;

  Blocking(BlockingQueue<Trade> queue) {
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

  /** Ends the work of one consumer, once all producers are through. */
  void putEnd() throws InterruptedException {
    queue.put(END);
  }

  @Override
  public void close() {
    if (queue instanceof RecordQueue<Trade> ours) {
      ours.close();
    }
  }

  private static final class Producer extends Sender {
    private final BlockingQueue<Trade> queue;

    Producer(BlockingQueue<Trade> queue) {
      this.queue = queue;
    }

    @Override
    boolean send(long number) {
      try {
        queue.put(new Trade(number, number + 1, number + 2));
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      return true;
    }
  }

  private static final class Consumer extends Receiver {
    private final BlockingQueue<Trade> queue;
    private Trade kept; // until the next comes, so that no compiler can do without it

    Consumer(BlockingQueue<Trade> queue) {
      this.queue = queue;
    }

    @Override
    long receive() {
      try {
        kept = queue.take();
        return kept.time() == END.time() ? NONE : kept.sum();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
