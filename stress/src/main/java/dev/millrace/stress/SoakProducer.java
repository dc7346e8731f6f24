package dev.millrace.stress;

import dev.millrace.core.OnFull;
import dev.millrace.core.Producer;
import dev.millrace.core.Sequence;
import dev.millrace.queues.MpmcProducer;
import dev.millrace.stress.spec.FifoSpec.Sent;
import dev.millrace.stress.spec.KFifoSpec;
import dev.millrace.stress.spec.KFifoSpec.Kind;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A producer of the soaks: claims in every form, commits or aborts, and keeps account of it. */
final class SoakProducer {
  /** How long a wait with a limit takes at most. */
  static final Duration LONGEST_WAIT = Duration.ofNanos(500_000);

  private static final int ONE_ABORT_IN = 16;
  private static final int ONE_NESTED_IN = 8;
  private static final int ONE_OFFER_IN = 8;
  private static final int ONE_YIELD_IN = 64;
  private static final int ONE_REST_IN = 4_096;
  private static final long MOST_REST_NANOS = 500_000;
  private static final int FAULT_AT = 10;
  private static final int CLOSED = -1;

  /** What a producer or a consumer can do wrong on purpose, to see that it is noticed. */
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
    /** A message is committed without its last byte. */
    SHORTEN,
    /** A message is committed with another time. */
    MISTIME,
    /** A consumer takes a message that it leaves in the queue. */
    TAKE_KEPT,
    /** A consumer says of a message that it did not take that it has. */
    DROP,
    /** A consumer asks for more bytes than it wants. */
    OVERDRAW;

    /** Whether producers do it. */
    boolean isProducers() {
      return this != NONE && compareTo(TAKE_KEPT) < 0;
    }
  }

  /** How long threads wait. */
  enum Patience {
    /** They do not wait, and know best when a call began. */
    NONE,
    /** Up to a time limit. */
    BRIEF,
    /** As long as it takes. */
    ENDLESS
  }

  /**
   * How a producer behaves.
   *
   * @param run the longest run that it claims
   * @param waits whether it waits for slots
   * @param lingers whether it rests with a claim open, now and then
   * @param pauseEvery after how many claims it rests on average; 0 for never
   * @param stallEvery after how many claims it exceeds the stall limit on average
   * @param stallNanos the stall limit; 0 for none
   * @param onFull what a full structure does
   */
  record Ways(
      int run,
      boolean waits,
      boolean lingers,
      int pauseEvery,
      int stallEvery,
      long stallNanos,
      OnFull onFull) {
    /** Claims at full speed, in runs up to a length, where others stall. */
    static Ways flatOut(int run, long stallNanos) {
      return new Ways(run, true, false, 0, 0, stallNanos, OnFull.WAIT);
    }
  }

  private final Producer<? extends Item> first;
  private final Producer<? extends Item> second; // null where there is one producer only
  private final Sent sent;
  private final KFifoSpec.Log log;
  private final Ways ways;
  private final Fault fault;
  private final SplittableRandom random;
  private final Sequence steps = new Sequence();
  private final Sequence committed = new Sequence();
  private long claimBegin;
  private int commits;
  private volatile boolean hasDoneWrong;

  /**
   * Makes a producer, for one thread.
   *
   * @param second for claims within those of the first, or null
   */
  SoakProducer(
      Producer<? extends Item> first,
      Producer<? extends Item> second,
      Sent sent,
      KFifoSpec.Log log,
      Ways ways,
      Fault fault,
      long seed) {
    this.first = first;
    this.second = second;
    this.sent = sent;
    this.log = log;
    this.ways = ways;
    this.fault = fault;
    this.random = new SplittableRandom(seed);
  }

  Sent sent() {
    return sent;
  }

  SplittableRandom random() {
    return random;
  }

  /** How many claims it has tried, for any thread. */
  long steps() {
    return steps.getOpaque(); // opaque: a count
  }

  /** How many records it has committed, for any thread. */
  long committed() {
    return committed.getOpaque(); // opaque: a count
  }

  /** Whether it has done all the wrong that it is to do, for any thread. */
  boolean isThrough() {
    return !fault.isProducers() || hasDoneWrong;
  }

  /** Puts until it is told to stop; returns false if the structure is completed before. */
  boolean run(BooleanSupplier isOver) throws InterruptedException {
    while (!isOver.getAsBoolean()) {
      if (!step()) {
        return false;
      }
    }
    return true;
  }

  /** Claims and ends the claim, in a form of its choice; false if the structure is completed. */
  boolean step() throws InterruptedException {
    steps.setOpaque(steps.getPlain() + 1); // opaque: for who watches; plain: this thread's own
    committed.setOpaque(sent.committed()); // opaque: as above
    if (ways.pauseEvery > 0 && random.nextInt(ways.pauseEvery) == 0) {
      LockSupport.parkNanos(random.nextLong(2 * MOST_REST_NANOS));
    }
    if (first instanceof MessageSender messages && random.nextInt(ONE_OFFER_IN) == 0) {
      return offer(messages);
    }
    int count = claim(first, random.nextInt(ways.waits ? 8 : 4));
    if (count > 0) {
      long begin = claimBegin;
      long number = write(first, count);
      if (second != null && count == 1 && random.nextInt(ONE_NESTED_IN) == 0) {
        nest();
      }
      rest();
      end(first, number, count, begin);
    }
    return count != CLOSED;
  }

  /** Offers a message, if there is room; false if the structure is completed. */
  private boolean offer(MessageSender messages) {
    long number = sent.nextNumber();
    try {
      if (messages.offer(number)) {
        sent.committed(number, 1, true);
      } else {
        Thread.yield();
      }
      return true;
    } catch (IllegalStateException e) {
      if (isLate(e)) {
        sent.committed(number, 1, false);
        return true;
      }
      return refused(e) != CLOSED;
    }
  }

  /** A claim while the first is open, and ended before it; without waiting, or all might. */
  private void nest() throws InterruptedException {
    int count = claim(second, 0);
    if (count > 0) {
      end(second, write(second, count), count, claimBegin);
    }
  }

  private int claim(Producer<? extends Item> end, int form) throws InterruptedException {
    int limit = form % 2 == 0 ? 1 : 1 + random.nextInt(ways.run);
    claimBegin = log.now();
    try {
      int count =
          switch (form) {
            case 0, 2 -> count(end.tryClaim());
            case 1, 3 -> end.tryClaim(limit);
            case 4 -> count(end.claim());
            case 5, 7 -> end.claim(limit);
            default -> special(end);
          };
      if (count == 0) {
        full(form, limit);
      }
      return count;
    } catch (IllegalStateException e) {
      return refused(e);
    }
  }

  private static int count(Item claimed) {
    return claimed == null ? 0 : 1;
  }

  /** In a form that only some structures have, or with a time limit. */
  private int special(Producer<? extends Item> end) throws InterruptedException {
    return switch (end) {
      case MpmcProducer<? extends Item> mpmc when random.nextBoolean() -> count(mpmc.strictClaim());
      case ObjectProducer objects -> objects.claim(1 + random.nextInt(ways.run), LONGEST_WAIT);
      default -> count(end.claim(LONGEST_WAIT));
    };
  }

  private void full(int form, int limit) {
    if (form < 4 || form == 6) {
      log.add(Kind.FULL, -1, claimBegin);
      Thread.yield();
      return;
    }
    switch (ways.onFull) {
      case DROP_NEWEST -> sent.dropped(limit);
      case SIGNAL -> sent.signalled(limit);
      default ->
          throw new AssertionError("claim must wait: policy=" + ways.onFull + ", count=" + limit);
    }
  }

  private int refused(IllegalStateException e) {
    if (ways.stallNanos > 0 && isNoRowLeft(e)) {
      sent.nextNumber(); // the message of the next one may be shorter
      Thread.yield(); // others that stall come back
      return 0;
    }
    if (!e.getMessage().matches("(?s)(queue is completed|queue is closed|ring must be open).*")) {
      throw e;
    }
    log.add(Kind.COMPLETED, -1, claimBegin);
    return CLOSED;
  }

  private long write(Producer<? extends Item> end, int count) {
    long number = sent.peekNumber();
    for (int i = 0; i < count; i++) {
      end.at(i).number(sent.nextNumber());
    }
    return number;
  }

  /** Now and then lets others go first, or stops for a while, with a claim open. */
  private void rest() {
    if (ways.lingers) {
      linger(random);
    }
    if (ways.stallEvery > 0 && random.nextInt(ways.stallEvery) == 0) {
      LockSupport.parkNanos(3 * ways.stallNanos);
    }
  }

  /** Now and then lets others go first, or stops for a while. */
  static void linger(SplittableRandom random) {
    if (random.nextInt(ONE_YIELD_IN) == 0) {
      Thread.yield();
    } else if (random.nextInt(ONE_REST_IN) == 0) {
      LockSupport.parkNanos(random.nextLong(MOST_REST_NANOS));
    }
  }

  private void end(Producer<? extends Item> end, long number, int count, long begin) {
    log.add(Kind.CLAIM, number, begin);
    if (random.nextInt(ONE_ABORT_IN) == 0) {
      poison(end, count);
      long call = log.now();
      end.abort();
      log.add(Kind.ABORT, number, call);
      sent.aborted(count);
      return;
    }
    boolean isFaulty = !isThrough() && ++commits >= FAULT_AT && end.at(0).spoil(fault);
    long call = log.now();
    boolean isAccepted = true;
    if (isFaulty && fault == Fault.LOSE) {
      end.abort();
    } else {
      isAccepted = commits(end);
    }
    log.add(Kind.COMMIT, number, call);
    sent.committed(number, count, isAccepted);
    if (isFaulty && fault == Fault.REPEAT) {
      repeat(end, number);
    }
    if (isFaulty) {
      hasDoneWrong = true;
    }
  }

  private static void repeat(Producer<? extends Item> end, long number) {
    if (end instanceof MessageSender messages) {
      while (!messages.offer(number)) {
        Thread.yield();
      }
      return;
    }
    while (end.tryClaim() == null) {
      Thread.yield();
    }
    end.at(0).number(number);
    end.commit();
  }

  static void poison(Producer<? extends Item> end, int count) {
    for (int i = 0; i < count; i++) {
      end.at(i).poison();
    }
  }

  /** Commits; false if the claim was given up. */
  static boolean commits(Producer<?> end) {
    try {
      end.commit();
      return true;
    } catch (IllegalStateException e) {
      if (!isLate(e)) {
        throw e;
      }
      return false;
    }
  }

  /** Whether a commit was refused because its claim had been given up. */
  static boolean isLate(IllegalStateException e) {
    return e.getMessage().startsWith("claim was given up");
  }

  /** Whether a claim was refused because what stalled producers hold has left no room for it. */
  static boolean isNoRowLeft(IllegalStateException e) {
    return e.getMessage().startsWith("no room left");
  }

  /** Writes a record into a claim and commits it, whatever has become of it. */
  void writeAndCommit(Producer<? extends Item> claim) {
    long number = write(claim, 1);
    sent.committed(number, 1, commits(claim));
  }

  /**
   * Holds a claim for a time, then commits, whatever has become of it.
   *
   * @param isNext whether the claim may be the oldest one; the time begins then
   */
  void dawdle(BooleanSupplier isNext, long nanos) throws InterruptedException {
    if (claim(first, 0) > 0) {
      long number = write(first, 1);
      Duration pause = Duration.ofNanos(nanos);
      for (int i = 0; i < 16 && !isNext.getAsBoolean(); i++) {
        Thread.sleep(pause.dividedBy(4));
      }
      Thread.sleep(pause);
      sent.committed(number, 1, commits(first));
    }
  }
}
