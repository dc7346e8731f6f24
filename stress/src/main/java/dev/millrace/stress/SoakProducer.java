package dev.millrace.stress;

import dev.millrace.core.Producer;
import dev.millrace.queues.MpmcProducer;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** A producer of the soaks that uses every form of claim, and aborts now and then. */
final class SoakProducer {
  private static final int ONE_ABORT_IN = 16;
  private static final Duration LONGEST_WAIT = Duration.ofNanos(500_000);

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
    POISON
  }

  private static final int FAULT_AT = 10;

  private final Producer<Entry> first;
  private final Producer<Entry> second; // null where a queue has one producer only
  private final Ledger.Put put;
  private final int run;
  private final Fault fault;
  private final SplittableRandom random;
  private long steps;
  private volatile boolean hasDoneWrong;

  /**
   * Makes a producer, for one thread.
   *
   * @param first an end
   * @param second another end for claims within those of the first, or null
   * @param run the longest run that it claims
   */
  SoakProducer(
      Producer<Entry> first,
      Producer<Entry> second,
      Ledger.Put put,
      int run,
      Fault fault,
      long seed) {
    this.first = first;
    this.second = second;
    this.put = put;
    this.run = run;
    this.fault = fault;
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

  /** Claims and ends the claim, in a form of its choice; false if the queue is completed. */
  boolean step() throws InterruptedException {
    int form = random.nextInt(8);
    int count;
    try {
      count = claim(form);
    } catch (IllegalStateException e) {
      return goesOn(e);
    }
    if (count == 0) {
      Thread.yield();
    } else if (form == 1 && second != null) {
      nest();
    } else {
      end(first, count);
    }
    return true;
  }

  private int claim(int form) throws InterruptedException {
    int limit = 1 + random.nextInt(run);
    return switch (form) {
      case 0, 1 -> first.tryClaim() == null ? 0 : 1;
      case 2 -> first.claim() == null ? 0 : 1;
      case 3 -> strictOrTimed() == null ? 0 : 1;
      case 4, 5 -> first.tryClaim(limit);
      default -> first.claim(limit);
    };
  }

  private Entry strictOrTimed() throws InterruptedException {
    return first instanceof MpmcProducer<Entry> mpmc && random.nextBoolean()
        ? mpmc.strictClaim()
        : first.claim(LONGEST_WAIT);
  }

  private static boolean goesOn(IllegalStateException e) {
    if (!e.getMessage().startsWith("queue must not be completed")) {
      throw e;
    }
    return false;
  }

  private void end(Producer<Entry> end, int count) {
    if (random.nextInt(ONE_ABORT_IN) == 0) {
      poison(end, count);
      end.abort();
      put.aborted(count);
      return;
    }
    long number = write(end, count);
    if (fault != Fault.NONE && ++steps == FAULT_AT) {
      fail(end, count, number);
      hasDoneWrong = true;
    } else {
      put.committed(number, count, commits(end));
    }
  }

  static void poison(Producer<Entry> end, int count) {
    for (int i = 0; i < count; i++) {
      end.at(i).poison();
    }
  }

  /** Commits; false if the claim was given up. */
  static boolean commits(Producer<Entry> end) {
    try {
      end.commit();
      return true;
    } catch (IllegalStateException e) {
      if (!e.getMessage().startsWith("claim must be committed within the stall limit")) {
        throw e;
      }
      return false;
    }
  }

  private long write(Producer<Entry> end, int count) {
    long number = put.nextNumber();
    end.at(0).number(number);
    for (int i = 1; i < count; i++) {
      end.at(i).number(put.nextNumber());
    }
    return number;
  }

  /** A second claim while the first is open, and ended before it. */
  private void nest() {
    long number = write(first, 1);
    try {
      if (second.tryClaim() != null) {
        end(second, 1);
      }
    } catch (IllegalStateException e) {
      goesOn(e);
    }
    put.committed(number, 1, commits(first));
  }

  /**
   * Holds a claim for a time, then commits, whatever has become of it.
   *
   * @param isNext whether the claim may be the oldest one; the time begins then
   */
  void dawdle(BooleanSupplier isNext, long nanos) throws InterruptedException {
    if (first.tryClaim() != null) {
      long number = write(first, 1);
      Duration pause = Duration.ofNanos(nanos);
      for (int i = 0; i < 16 && !isNext.getAsBoolean(); i++) {
        Thread.sleep(pause.dividedBy(4));
      }
      Thread.sleep(pause);
      put.committed(number, 1, commits(first));
    }
  }

  private void fail(Producer<Entry> end, int count, long number) {
    switch (fault) {
      case NONE -> throw new AssertionError("no fault");
      case LOSE -> {
        end.abort();
        put.committed(number, count, true);
      }
      case REPEAT -> {
        put.committed(number, count, commits(end));
        while (end.tryClaim() == null) {
          Thread.yield();
        }
        end.at(0).number(number);
        end.commit();
      }
      case TEAR -> {
        end.at(0).tear();
        put.committed(number, count, commits(end));
      }
      case POISON -> {
        poison(end, count);
        put.committed(number, count, commits(end));
      }
    }
  }
}
