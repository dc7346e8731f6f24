package dev.millrace.stress;

import dev.millrace.queues.OffHeapQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** A producer of the soaks that uses every form of claim, and aborts now and then. */
final class SoakProducer {
  private static final int ONE_ABORT_IN = 16;

  /** What a producer can do wrong on purpose, to see that it is noticed. */
  enum Fault {
    /** Nothing. */
    NONE,
    /** A record is counted, and its slot given back. */
    LOSE,
    /** A record is committed twice. */
    REPEAT,
    /** A record is changed after it was written. */
    TEAR,
    /** A slot is committed that holds no record. */
    POISON,
    /** A claim is not counted. */
    MISCOUNT
  }

  private static final int FAULT_AT = 10;

  private final OffHeapQueue<Entry> queue;
  private final Ledger.Put put;
  private final int run;
  private final Fault fault;
  private final long stallNanos;
  private final Entry entry;
  private final Entry second;
  private final SplittableRandom random;
  private long steps;
  private volatile boolean hasDoneWrong;
  private long inDoubt;
  private long declined;

  /**
   * Makes a producer, for one thread.
   *
   * @param run the longest run that it claims
   * @param stallNanos the queue's stall limit
   */
  SoakProducer(
      OffHeapQueue<Entry> queue, Ledger.Put put, int run, long stallNanos, Fault fault, long seed) {
    this.queue = queue;
    this.put = put;
    this.run = run;
    this.stallNanos = stallNanos;
    this.fault = fault;
    this.entry = queue.newFlyweight();
    this.second = queue.newFlyweight();
    this.random = new SplittableRandom(seed);
  }

  Ledger.Put put() {
    return put;
  }

  SplittableRandom random() {
    return random;
  }

  /** Whether it has done all the wrong that it is to do, for any thread. */
  boolean isThrough() {
    return fault == Fault.NONE || hasDoneWrong;
  }

  /** Slots of aborts that may have come after the claim had been given up. */
  long inDoubt() {
    return inDoubt;
  }

  /** Claims that were declined because stalled producers left no such row of slots. */
  long declined() {
    return declined;
  }

  /** Claims and ends the claim, in a form of its choice; false if the queue is closed. */
  boolean step() throws InterruptedException, TimeoutException {
    long begun = System.nanoTime();
    int form = random.nextInt(8);
    if (form == 0) {
      return offsets(begun);
    }
    int count = form < 4 ? 1 : 1 + random.nextInt(run);
    switch (claims(form, count)) {
      case CLOSED -> {
        return false;
      }
      case NONE -> Thread.yield();
      case CLAIMED -> {
        if (form == 1) {
          nested(begun);
        } else {
          end(entry, count, begun);
        }
      }
    }
    return true;
  }

  private enum Answer {
    CLAIMED,
    NONE,
    CLOSED
  }

  private Answer claims(int form, int count) throws InterruptedException, TimeoutException {
    try {
      boolean claimed =
          switch (form) {
            case 1 -> queue.tryClaim(entry);
            case 2 -> queue.strictClaim(entry);
            case 3 -> queue.claim(entry);
            case 4, 5 -> queue.tryClaim(entry, count);
            default -> queue.claim(entry, count);
          };
      return claimed ? Answer.CLAIMED : Answer.NONE;
    } catch (IllegalStateException e) {
      return declined(e);
    }
  }

  /** A claim of a closed queue, or of one whose slots are held by stalled producers. */
  private Answer declined(IllegalStateException e) {
    if (queue.isClosed() && e.getMessage().startsWith("queue must be open")) {
      return Answer.CLOSED;
    }
    if (!e.getMessage().startsWith("slots must be left")) {
      throw e;
    }
    declined++;
    return Answer.NONE;
  }

  /** Ends the claim of a flyweight. */
  private void end(Entry claimed, int count, long begun) {
    if (aborts(begun)) {
      abort(claimed, count, begun);
      return;
    }
    long first = write(claimed, count);
    if (fault != Fault.NONE && ++steps == FAULT_AT) {
      fail(claimed, count, first);
      hasDoneWrong = true;
      return;
    }
    put.committed(first, count, queue.commit(claimed));
  }

  private void abort(Entry claimed, int count, long begun) {
    for (int i = 0; i < count; i++, claimed.next()) {
      claimed.poison();
    }
    queue.abort(claimed);
    aborted(count, begun);
  }

  /** Now and then, and not if it might be too late, for an abort does not tell. */
  private boolean aborts(long begun) {
    return random.nextInt(ONE_ABORT_IN) == 0 && System.nanoTime() - begun < stallNanos / 2;
  }

  private void aborted(int count, long begun) {
    put.aborted(count);
    // a claim is not given up before 63/64 of the limit, by the same clock
    if (System.nanoTime() - begun > stallNanos / 64 * 60) {
      inDoubt += count;
    }
  }

  private long write(Entry claimed, int count) {
    long first = put.nextNumber();
    claimed.number(first);
    for (int i = 1; i < count; i++) {
      claimed.next();
      claimed.number(put.nextNumber());
    }
    return first;
  }

  private boolean offsets(long begun) {
    long offset;
    try {
      offset = queue.tryClaim();
    } catch (IllegalStateException e) {
      return declined(e) != Answer.CLOSED;
    }
    if (offset < 0) {
      return offset != OffHeapQueue.CLOSED;
    }
    entry.moveTo(offset);
    if (aborts(begun)) {
      entry.poison();
      queue.abort(offset);
      aborted(1, begun);
    } else {
      long number = write(entry, 1);
      put.committed(number, 1, queue.commit(offset));
    }
    return true;
  }

  /** A second claim while the first is open, and ended before it. */
  private void nested(long begun) {
    long number = write(entry, 1);
    boolean claimed;
    try {
      claimed = queue.tryClaim(second);
    } catch (IllegalStateException e) {
      claimed = declined(e) == Answer.CLAIMED;
    }
    if (claimed) {
      end(second, 1, begun);
    }
    put.committed(number, 1, queue.commit(entry));
  }

  /**
   * Holds a claim for a time, then commits, whatever has become of it.
   *
   * @param isNext whether the claim may be the oldest one; the time begins then
   */
  void dawdle(BooleanSupplier isNext, long nanos) throws InterruptedException {
    try {
      if (!queue.tryClaim(entry)) {
        return;
      }
    } catch (IllegalStateException e) {
      declined(e);
      return;
    }
    long number = write(entry, 1);
    for (int i = 0; i < 16 && !isNext.getAsBoolean(); i++) {
      Thread.sleep(0, (int) Math.min(999_999, stallNanos / 4));
    }
    Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
    put.committed(number, 1, queue.commit(entry));
  }

  private void fail(Entry claimed, int count, long first) {
    switch (fault) {
      case NONE -> throw new AssertionError("no fault");
      case LOSE -> {
        queue.abort(claimed);
        put.committed(first, count, true);
      }
      case REPEAT -> {
        put.committed(first, count, queue.commit(claimed));
        while (!queue.tryClaim(claimed)) {
          Thread.yield();
        }
        claimed.number(first);
        queue.commit(claimed);
      }
      case TEAR -> {
        claimed.tear();
        put.committed(first, count, queue.commit(claimed));
      }
      case POISON -> {
        claimed.poison();
        put.committed(first, count, queue.commit(claimed));
      }
      case MISCOUNT -> {
        queue.abort(claimed);
      }
    }
  }
}
