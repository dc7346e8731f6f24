package dev.millrace.stress;

import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.QueueRound.Kind;
import dev.millrace.stress.SoakProducer.Fault;
import dev.millrace.stress.SoakProducer.Patience;
import dev.millrace.stress.SoakProducer.Ways;
import dev.millrace.stress.StoppedClaim.BetweenTwo;
import dev.millrace.stress.StoppedClaim.Committing;
import dev.millrace.stress.StoppedClaim.Marked;
import dev.millrace.stress.StoppedClaim.Unmarked;
import dev.millrace.stress.StoppedClaim.Wrapped;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec;
import dev.millrace.stress.spec.KFifoSpec;
import dev.millrace.stress.trial.AnyQueue;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Producers that stop between claim and commit on a queue with a stall limit, while others go on.
 * Of a queue of messages they stop in each phase of a claim, too. Some never come back. The others
 * come back when their claim was given up beyond doubt, because a record that was claimed later has
 * been consumed; they write into their slots what no consumer may see, and end the claim, which
 * must be refused. Every second one is a virtual thread, which may end with its claim open; the
 * others are ends that a producer keeps aside.
 *
 * <p>Besides, producers now and then take about as long as the limit to commit, so that it is open
 * who wins.
 */
final class StalledRound implements Callable<Counts> {
  /** The most records that are claimed or polled at a time. */
  static final int RUN = 8;

  private static final int HEALTHY = 2;
  private static final int LONGEST_STOPPED = 3;
  private static final int LONGEST_MESSAGE = 40; // so that there are rows of cells for most

  /** Where a producer stops. */
  enum Phase {
    /** Before its claim is marked: consumers give it up cell by cell, a stall limit for each. */
    UNMARKED,
    /** Before it aborts a claim that goes round the end of the memory. */
    WRAPPED,
    /** Between that abort and the second claim. */
    BETWEEN_TWO,
    /** Before the commit. */
    MARKED,
    /** In the midst of the commit. */
    COMMITTING;

    /**
     * Whether it takes cells that go round the end of the memory; for good, it would be the last.
     */
    boolean wraps() {
      return this == WRAPPED || this == BETWEEN_TWO;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** Thrown where a producer stops for good in a call. */
  private static final class Gone extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Gone() {
      super("gone", null, false, false);
    }
  }

  private final Kind kind;
  private final int capacity;
  private final int stops;
  private final int forGood;
  final long limitNanos;
  private final long nanos;

  final SoakQueue ends;
  private final AnyQueue<?> queue;
  final List<SoakProducer> producers = new ArrayList<>();
  final List<SoakConsumer<?>> consumers = new ArrayList<>();
  private final AtomicLongArray nextNumbers = new AtomicLongArray(HEALTHY);
  private final Crew crew;
  private final int mostHeld;
  private final AtomicInteger putting = new AtomicInteger(HEALTHY);
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger settled = new AtomicInteger();
  private final AtomicInteger heldSlots = new AtomicInteger();
  final Queue<StoppedClaim> stoppedForGood = new ConcurrentLinkedQueue<>();
  private final AtomicLong lateSlots = new AtomicLong();
  private final Map<Phase, AtomicInteger> stoppedIn = new EnumMap<>(Phase.class);
  private volatile boolean stopProducers;
  private volatile boolean stopConsumers;

  /**
   * Makes a round.
   *
   * @param stops how many producers stop
   * @param forGood how many of them never come back; each holds up to three slots, and so many must
   *     fit into three quarters of the queue
   * @param limitNanos the queue's stall limit
   * @param nanos over which time they stop; it takes longer if the limit demands it
   */
  StalledRound(Kind kind, int capacity, int stops, int forGood, long limitNanos, long nanos) {
    this.kind = kind;
    this.capacity = capacity;
    this.stops = stops;
    this.forGood = forGood;
    this.limitNanos = limitNanos;
    this.nanos = nanos;
    this.mostHeld = capacity / 4 * 3;
    for (Phase phase : Phase.values()) {
      stoppedIn.put(phase, new AtomicInteger());
    }
    if (forGood * LONGEST_STOPPED > mostHeld) {
      throw new IllegalArgumentException(
          "forGood must be at most a quarter of the capacity: forGood=" + forGood);
    }
    this.ends =
        kind.newQueue(
            1,
            QueueOptions.ofCapacity(
                    kind.isOfMessages() ? (long) capacity * MessageQueue.CELL_BYTES : capacity)
                .withProducerWaits(WaitStrategy.yielding())
                .withConsumerWaits(WaitStrategy.yielding())
                .withStallLimit(Duration.ofNanos(limitNanos)),
            new MessageShape(HEALTHY + 1, LONGEST_MESSAGE, 1, HEALTHY, false),
            Fault.NONE);
    this.queue = ends.queue;
    this.crew = new Crew(toString(), queue::close, queue::toString);
  }

  @Override
  public String toString() {
    return kind + "(" + capacity + ") " + stops + " stopped, " + forGood + " for good";
  }

  /** Runs to the end; throws an {@link AssertionError} if anything is not as it must be. */
  @Override
  public Counts call() throws Exception {
    long begin = System.nanoTime();
    MemorySegment memory = ends.memory();
    // the last producer, and the last consumer, are this thread
    for (int i = 0; i <= HEALTHY; i++) {
      FifoSpec.Sent sent = new FifoSpec.Sent(i, HEALTHY + 1, false);
      producers.add(
          new SoakProducer(
              ends.newProducer(i, sent),
              ends.newProducer(i, sent),
              sent,
              KFifoSpec.Log.none(),
              Ways.flatOut(kind.isOfMessages() ? LONGEST_STOPPED : RUN, limitNanos),
              Fault.NONE,
              100 + i));
    }
    for (int i = 0; i < (kind.hasManyConsumers ? 2 : 1); i++) {
      consumers.add(newConsumer(200 + i));
    }
    consumers.forEach(consumer -> crew.start("consumer", () -> take(consumer)));
    QueueRound.watch(crew, consumers);
    for (int i = 0; i < HEALTHY; i++) {
      int producer = i;
      crew.start(
          "producer",
          () -> {
            put(producer, begin);
            putting.decrementAndGet(); // the last of its records is in the queue
          });
    }
    crew.watchUntil(() -> settled.get() == stops, () -> QueueRound.checkSize(queue));
    stopProducers = true;
    crew.watchUntil(() -> putting.get() == 0 && queue.sizeEstimate() == 0, () -> {});
    stopConsumers = true;
    crew.join();
    Counts counts = new StalledAftermath(this).call(memory).add("late", lateSlots.get());
    stoppedIn.forEach((phase, count) -> counts.add("stopped " + phase, count.get()));
    return counts;
  }

  SoakConsumer<?> newConsumer(long seed) {
    return ends.newConsumer(
        1,
        HEALTHY + 1,
        new FifoSpec.Received(HEALTHY + 1, true),
        KFifoSpec.Log.none(),
        RUN,
        Patience.BRIEF,
        seed);
  }

  /** Makes an end whose messages take one cell. */
  Producer<? extends Item> newLastEnd(FifoSpec.Sent sent) {
    return ends.newProducer(HEALTHY, sent);
  }

  /** Gives out numbers of records that are never committed. */
  FifoSpec.Sent newUnsent() {
    return new FifoSpec.Sent(HEALTHY, HEALTHY + 1, false);
  }

  private void take(SoakConsumer<?> consumer) throws InterruptedException {
    while (!stopConsumers) {
      Counts.checkWithin("records", consumer.step(), 0, RUN);
    }
  }

  // ---- producers that stop ----

  /**
   * A claim that was left open.
   *
   * @param watched the producer whose record of a number from passedFrom on is claimed later
   * @param notBefore when its producer comes back at the earliest
   */
  private record Stopped(StoppedClaim claim, int watched, long passedFrom, long notBefore) {}

  /** Comes back if it is time. */
  private boolean comesBack(Stopped stopped, SplittableRandom random) {
    if (!isPassed(stopped)) {
      return false;
    }
    stopped.claim.comeBack(random.nextInt(8) != 0);
    settle(stopped.claim);
    return true;
  }

  /** Whether a claim was given up, because a record that was claimed later was taken. */
  private boolean isPassed(Stopped stopped) {
    return System.nanoTime() - stopped.notBefore > 0
        && hasSeen(stopped.watched, stopped.passedFrom);
  }

  private void settle(StoppedClaim claim) {
    lateSlots.addAndGet(claim.slots());
    heldSlots.addAndGet(-claim.slots());
    settled.incrementAndGet();
  }

  /** Whether a consumer has come to a number of a producer's. */
  private boolean hasSeen(int producer, long number) {
    return consumers.stream().anyMatch(consumer -> consumer.seen(producer) >= number);
  }

  private void put(int index, long begin) throws Exception {
    SoakProducer producer = producers.get(index);
    SplittableRandom random = producer.random();
    List<Stopped> aside = new ArrayList<>();
    while (!stopProducers || !aside.isEmpty()) {
      int ticket = nextStop(begin);
      if (ticket >= 0 && ticket % 2 == 1) {
        SplittableRandom its = random.split();
        crew.start(Thread.ofVirtual().name("stopped"), () -> stopVirtual(ticket, index, its));
      } else if (ticket >= 0) {
        // the next number is of this very thread
        stop(ticket, index, random, producer.sent()::nextNumber, aside);
      }
      if (ticket >= 0 && ticket % 8 == 0) {
        long before = producer.sent().peekNumber() - LONGEST_STOPPED * (HEALTHY + 1L);
        producer.dawdle(() -> hasSeen(index, before), limitNanos * (80 + random.nextInt(40)) / 100);
      }
      aside.removeIf(stopped -> comesBack(stopped, random));
      QueueRound.check(producer.step(), "queue must be open", queue);
      nextNumbers.set(index, producer.sent().peekNumber());
    }
  }

  /** A number from 0 on if it is time for a producer to stop, or -1. */
  private int nextStop(long begin) {
    int next = begun.get();
    return next < stops
            && (double) (System.nanoTime() - begin) / nanos * stops >= next
            && heldSlots.get() <= mostHeld - LONGEST_STOPPED * HEALTHY
            && begun.compareAndSet(next, next + 1)
        ? next
        : -1;
  }

  private void stopVirtual(int ticket, int watched, SplittableRandom random) {
    // what the watched producer claims from here on, with room for what is under way
    LongSupplier passedFrom = () -> nextNumbers.get(watched) + 4L * RUN * (HEALTHY + 1L);
    if (kind.isOfMessages() && random.nextInt(Phase.values().length) == 0) {
      stopCommitting(ticket, watched, random, passedFrom);
      return;
    }
    List<Stopped> stopped = new ArrayList<>(); // none if the thread ends, and its claim stays
    stop(ticket, watched, random, passedFrom, stopped);
    while (!stopped.isEmpty() && !crew.hasFailed()) {
      LockSupport.parkNanos(limitNanos / 4);
      stopped.removeIf(one -> comesBack(one, random));
    }
  }

  /** Leaves a claim open, for good or to come back to it. */
  private void stop(
      int ticket,
      int watched,
      SplittableRandom random,
      LongSupplier passedFrom,
      List<Stopped> comingBack) {
    Phase[] phases = Phase.values();
    Phase phase = kind.isOfMessages() ? phases[random.nextInt(phases.length - 1)] : Phase.MARKED;
    StoppedClaim claim = claim(isForGood(ticket) && phase.wraps() ? Phase.MARKED : phase, random);
    Stopped stopped = stopped(claim, watched, random, passedFrom);
    if (isForGood(ticket)) {
      stoppedForGood.add(claim);
      settled.incrementAndGet();
    } else {
      comingBack.add(stopped);
    }
  }

  private boolean isForGood(int ticket) {
    return (long) (ticket + 1) * forGood / stops > (long) ticket * forGood / stops;
  }

  private Stopped stopped(
      StoppedClaim claim, int watched, SplittableRandom random, LongSupplier passedFrom) {
    heldSlots.addAndGet(claim.slots());
    // some come back at once, some after many laps of the ring
    long notBefore =
        System.nanoTime() + (random.nextBoolean() ? 0 : random.nextLong(8 * limitNanos));
    return new Stopped(claim, watched, passedFrom.getAsLong(), notBefore);
  }

  /** Commits, and stops meanwhile. */
  private void stopCommitting(
      int ticket, int watched, SplittableRandom random, LongSupplier passedFrom) {
    AtomicReference<Stopped> stopped = new AtomicReference<>();
    Runnable pause =
        () -> {
          do {
            if (isForGood(ticket) || crew.hasFailed()) {
              throw new Gone();
            }
            LockSupport.parkNanos(limitNanos / 4);
          } while (!isPassed(stopped.get()));
        };
    Committing claim = new Committing(ends.messages(), 1 + random.nextInt(LONGEST_STOPPED), pause);
    until(claim::tryClaim);
    stoppedIn.get(Phase.COMMITTING).incrementAndGet();
    stopped.set(stopped(claim, watched, random, passedFrom));
    try {
      claim.comeBack(true);
      settle(claim);
    } catch (Gone e) {
      stoppedForGood.add(claim);
      settled.incrementAndGet();
    }
  }

  /** Claims as far as a phase; where the end of the memory does not come, as far as the commit. */
  private StoppedClaim claim(Phase phase, SplittableRandom random) {
    AtomicReference<StoppedClaim> claim = new AtomicReference<>();
    long begin = System.nanoTime();
    until(
        () -> {
          boolean isLate = System.nanoTime() - begin > 4 * limitNanos;
          Phase its = isLate && phase.wraps() ? Phase.MARKED : phase;
          int least = its.wraps() ? 2 : 1;
          claim.set(tryClaim(its, least + random.nextInt(LONGEST_STOPPED - least + 1)));
          if (claim.get() != null) {
            stoppedIn.get(its).incrementAndGet();
          }
          return claim.get() != null;
        });
    return claim.get();
  }

  /** Claims as far as a phase before the commit; returns null if it could not. */
  StoppedClaim tryClaim(Phase phase, int count) {
    HalfClaim half = phase == Phase.MARKED ? null : new HalfClaim(ends.messages(), count);
    return switch (phase) {
      case UNMARKED -> half.advance() ? new Unmarked(half, count) : null;
      case WRAPPED -> half.claimRound() ? new Wrapped(half, count) : null;
      case BETWEEN_TWO -> half.claimRound() && half.abort() ? new BetweenTwo(half) : null;
      default -> {
        Producer<? extends Item> end = newLastEnd(newUnsent());
        int items = end.tryClaim(count);
        yield items > 0 ? new Marked(end, items) : null;
      }
    };
  }

  /** Tries until it works, or another thread has failed. */
  private void until(BooleanSupplier attempt) {
    while (!succeeds(attempt)) {
      QueueRound.check(!crew.hasFailed(), "another thread must not have failed", queue);
      Thread.yield();
    }
  }

  private static boolean succeeds(BooleanSupplier attempt) {
    try {
      return attempt.getAsBoolean();
    } catch (IllegalStateException e) {
      if (SoakProducer.isNoRowLeft(e)) {
        return false; // another time it may be fewer
      }
      throw e;
    }
  }
}
