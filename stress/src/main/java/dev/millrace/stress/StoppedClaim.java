package dev.millrace.stress;

import static dev.millrace.stress.QueueRound.check;

import dev.millrace.core.Producer;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;

/** A claim that its producer has left open, in one of the phases of a claim. */
abstract class StoppedClaim {
  private static final int POISONED = 2; // how often

  /** How many slots it holds until it is given up. */
  abstract int slots();

  /** How many of them are out of use from then on. */
  int slotsOutOfUse() {
    return slots();
  }

  /** Writes what no consumer may ever see. */
  void poison() {}

  /**
   * Goes on as its producer would have.
   *
   * @param commits whether that would end in a commit
   * @throws AssertionError if the claim had not been given up
   * @throws IllegalStateException if the queue is closed
   */
  abstract void goOn(boolean commits);

  /** Goes on when the claim was given up, and writes into the slots before. */
  final void comeBack(boolean commits) {
    for (int round = 0; round < POISONED; round++) {
      poison();
      Thread.yield();
    }
    goOn(commits);
  }

  /** Between claim and commit. */
  static final class Marked extends StoppedClaim {
    private final Producer<? extends Item> end;
    private final int items;
    private final int slots;

    Marked(Producer<? extends Item> end, int items) {
      this.end = end;
      this.items = items;
      this.slots = end instanceof MessageSender message ? message.cells() : items;
    }

    @Override
    int slots() {
      return slots;
    }

    @Override
    void poison() {
      SoakProducer.poison(end, items);
    }

    @Override
    void goOn(boolean commits) {
      if (commits) {
        check(!SoakProducer.commits(end), "claim must have been given up", end);
      } else {
        end.abort();
      }
    }
  }

  /** Within a claim: nothing was written. */
  abstract static class Half extends StoppedClaim {
    final HalfClaim claim;
    private final int slots;

    Half(HalfClaim claim, int slots) {
      this.claim = claim;
      this.slots = slots;
    }

    @Override
    final int slots() {
      return slots;
    }

    /** The next step; returns false if the claim was given up. */
    abstract boolean goesOn();

    @Override
    final void goOn(boolean commits) {
      check(!goesOn(), "claim must have been given up", claim);
      claimAnew(claim);
    }
  }

  /** Between the exchange of the tail and the mark; consumers give up cell by cell. */
  static final class Unmarked extends Half {
    Unmarked(HalfClaim claim, int slots) {
      super(claim, slots);
    }

    @Override
    int slotsOutOfUse() {
      return 0;
    }

    @Override
    boolean goesOn() {
      return claim.mark();
    }
  }

  /** Between the mark of cells that go round the end of the memory, and their abort. */
  static final class Wrapped extends Half {
    Wrapped(HalfClaim claim, int slots) {
      super(claim, slots);
    }

    @Override
    boolean goesOn() {
      return claim.abort();
    }
  }

  /** Between that abort and the second claim: it holds nothing. */
  static final class BetweenTwo extends StoppedClaim {
    private final HalfClaim claim;

    BetweenTwo(HalfClaim claim) {
      this.claim = claim;
    }

    @Override
    int slots() {
      return 0;
    }

    @Override
    void goOn(boolean commits) {
      claimAnew(claim);
    }
  }

  /**
   * While a commit is under way, before header and stamp: in the producer's clock. Its thread stops
   * in {@link #goOn}, at the first call.
   */
  static final class Committing extends StoppedClaim {
    private final MessageProducer producer;
    private final int slots;
    private final Runnable pause;
    private Message message;
    private boolean hasPaused;

    /**
     * Makes one that has claimed nothing.
     *
     * @param pause returns when the producer goes on
     */
    Committing(MessageQueue queue, int slots, Runnable pause) {
      this.producer = queue.newProducer(this::time);
      this.slots = slots;
      this.pause = pause;
    }

    private long time() {
      if (!hasPaused) {
        hasPaused = true;
        pause.run();
      }
      return System.nanoTime();
    }

    boolean tryClaim() {
      message = producer.tryClaim(slots, slots * MessageQueue.CELL_BYTES - Long.BYTES);
      return message != null;
    }

    @Override
    int slots() {
      return slots;
    }

    @Override
    void poison() {
      for (int at = 0; at < message.length(); at += Long.BYTES) {
        message.putLong(at, MessageSender.POISON);
      }
    }

    @Override
    void goOn(boolean commits) {
      try {
        producer.commit();
      } catch (IllegalStateException e) {
        if (SoakProducer.isLate(e)) {
          return;
        }
        throw e;
      }
      throw new AssertionError("claim must have been given up: " + producer);
    }
  }

  /** The second claim, if there is room; it may be given up, too. */
  private static void claimAnew(HalfClaim claim) {
    try {
      if (claim.claim()) {
        claim.abort();
      }
    } catch (IllegalStateException e) {
      if (!SoakProducer.isNoRowLeft(e)) {
        throw e;
      }
    }
  }
}
