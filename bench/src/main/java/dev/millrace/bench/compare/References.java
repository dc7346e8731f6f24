package dev.millrace.bench.compare;

import dev.millrace.bench.compare.MarketRecord.Trade;
import dev.millrace.queues.RecordQueue;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;

/**
 * A queue of the JDK or of Agrona's objects: references to records, new ones or in turn.
 *
 * @param inTurn whether objects are used in turn
 */
record References(Queue<HeapTick> queue, Work work, boolean inTurn) implements Contender {
  /** In turn, unless there are several consumers. */
  static References of(Queue<HeapTick> queue, Work work) {
    return new References(queue, work, work.consumers() == 1);
  }

  @Override
  public Ends ends(boolean sends, boolean receives) {
    return Ends.of(Offers.class, queue, sends ? HeapTicks.of(work, inTurn) : null);
  }

  /** By offer and poll. */
  static final class Offers extends Ends {
    private final Queue<HeapTick> queue;
    private final HeapTicks ticks;

    Offers(Queue<HeapTick> queue, HeapTicks ticks) {
      this.queue = queue;
      this.ticks = ticks;
    }

    @Override
    boolean send(long number) {
      if (!queue.offer(ticks.peek().set(number))) {
        return false;
      }
      ticks.advance();
      return true;
    }

    @Override
    long receive() {
      HeapTick record = queue.poll();
      return record == null ? NONE : record.sum();
    }
  }

  /** A queue of immutable records, ours or the JDK's. */
  record Blocking(BlockingQueue<Trade> queue) implements Contender {
    private static final Trade END = new Trade(NO_TIME, 0, 0);

    /** Ends the work of one consumer, once all producers are through. */
    void putEnd() throws InterruptedException {
      queue.put(END);
    }

    @Override
    public Ends ends(boolean sends, boolean receives) {
      return Ends.of(Puts.class, queue);
    }

    @Override
    public void close() {
      if (queue instanceof RecordQueue<Trade> ours) {
        ours.close();
      }
    }
  }

  private static final long NO_TIME = Long.MIN_VALUE;

  /** By put and take, or offer and poll; a record is made for each. */
  static final class Puts extends Ends {
    private final BlockingQueue<Trade> queue;
    private Trade kept; // until the next comes, so that no compiler can do without it

    Puts(BlockingQueue<Trade> queue) {
      this.queue = queue;
    }

    @Override
    boolean send(long number) {
      return queue.offer(new Trade(number, number + 1, number + 2));
    }

    @Override
    void put(long number) throws InterruptedException {
      queue.put(new Trade(number, number + 1, number + 2));
    }

    @Override
    long receive() {
      kept = queue.poll();
      return kept == null ? NONE : kept.sum();
    }

    @Override
    long take() throws InterruptedException {
      kept = queue.take();
      return kept.time() == NO_TIME ? NONE : kept.sum();
    }
  }
}
