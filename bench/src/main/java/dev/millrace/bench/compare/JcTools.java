package dev.millrace.bench.compare;

import org.jctools.queues.MessagePassingQueue;

/**
 * A queue of JCTools, by its relaxed forms, and {@code fill} and {@code drain} in runs.
 *
 * @param inTurn whether its objects are used in turn
 */
record JcTools(MessagePassingQueue<HeapTick> queue, Work work, boolean inTurn)
    implements Contender {
  @Override
  public Ends ends(boolean sends, boolean receives) {
    return Ends.of(Relaxed.class, queue, sends ? HeapTicks.of(work, inTurn) : null);
  }

  /** The relaxed forms. */
  static final class Relaxed extends Ends
      implements MessagePassingQueue.Supplier<HeapTick>, MessagePassingQueue.Consumer<HeapTick> {
    private final MessagePassingQueue<HeapTick> queue;
    private final HeapTicks ticks;
    private long next;

    Relaxed(MessagePassingQueue<HeapTick> queue, HeapTicks ticks) {
      this.queue = queue;
      this.ticks = ticks;
    }

    @Override
    boolean send(long number) {
      if (!queue.relaxedOffer(ticks.peek().set(number))) {
        return false;
      }
      ticks.advance();
      return true;
    }

    @Override
    int send(long first, int count) {
      next = first;
      return queue.fill(this, count);
    }

    @Override
    public HeapTick get() {
      HeapTick record = ticks.peek().set(next++);
      ticks.advance();
      return record;
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
      runSum += record.sum();
    }
  }
}
