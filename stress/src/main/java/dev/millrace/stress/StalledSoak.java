package dev.millrace.stress;

import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.AnyQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.stress.QueueSoak.Kind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Producers that stop between claim and commit on a queue with a stall limit, while others go on.
 * Some never come back. The others come back when their claim was given up beyond doubt, for a
 * record that was claimed later has been consumed; they write into their slots what no consumer may
 * see, and end the claim, which must be refused. Every second one is a virtual thread, which may
 * end with its claim open; the others are ends that a producer keeps aside.
 *
 * <p>Besides, producers now and then take about as long as the limit to commit, so that it is open
 * who wins.
 */
final class StalledSoak {
  /** The most records that are claimed or polled at a time. */
  static final int RUN = 8;

  private static final int HEALTHY = 2;
  private static final int LONGEST_STOPPED = 3;

  private final Kind kind;
  private final int capacity;
  private final int stops;
  private final int forGood;
  private final long limitNanos;
  private final long nanos;

  private final AnyQueue<Entry> queue;
  private final List<SoakProducer> producers = new ArrayList<>();
  private final List<SoakConsumer> consumers = new ArrayList<>();
  private final AtomicLong[] nextNumbers = new AtomicLong[HEALTHY];
  private final Crew crew;
  private final int mostHeld;
  private final AtomicInteger putting = new AtomicInteger(HEALTHY);
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger settled = new AtomicInteger();
  private final AtomicInteger heldSlots = new AtomicInteger();
  private final StalledClaims claims = new StalledClaims();
  private volatile boolean stopProducers;
  private volatile boolean stopConsumers;

  /**
   * Makes a soak.
   *
   * @param stops how many producers stop
   * @param forGood how many of them never come back; each holds up to three slots, and so many must
   *     fit into three quarters of the queue
   * @param limitNanos the queue's stall limit
   * @param nanos over which time they stop; it takes longer if the limit demands it
   */
  StalledSoak(Kind kind, int capacity, int stops, int forGood, long limitNanos, long nanos) {
    this.kind = kind;
    this.capacity = capacity;
    this.stops = stops;
    this.forGood = forGood;
    this.limitNanos = limitNanos;
    this.nanos = nanos;
    this.mostHeld = capacity / 4 * 3;
    if (forGood * LONGEST_STOPPED > mostHeld) {
      throw new IllegalArgumentException(
          "forGood must be at most a quarter of the capacity: forGood=" + forGood);
    }
    this.queue =
        kind.newQueue(
            QueueOptions.ofCapacity(capacity)
                .withProducerWaits(WaitStrategy.yielding())
                .withConsumerWaits(WaitStrategy.yielding())
                .withStallLimit(Duration.ofNanos(limitNanos)));
    this.crew = new Crew(toString(), queue::close, queue::toString);
  }

  @Override
  public String toString() {
    return kind + "(" + capacity + ") " + stops + " stopped, " + forGood + " for good";
  }

  /**
   * What was seen.
   *
   * @param totals what the threads have counted, which agrees; what was refused are slots of
   *     producers that only took long
   * @param nanos the time taken
   * @param late slots of claims that came back after they had been given up
   * @param slotsForGood slots whose claims never came back, before the rest was taken as well
   * @param restHeld whether the last part was done: all slots held, none left to claim
   */
  record Result(Ledger.Totals totals, long nanos, long late, int slotsForGood, boolean restHeld) {}

  /** Runs to the end; throws an {@link AssertionError} if anything is not as it must be. */
  Result call() throws Exception {
    long begin = System.nanoTime();
    // the last producer, and the last consumer, are this thread
    for (int i = 0; i <= HEALTHY; i++) {
      Ledger.Put put = new Ledger.Put(i, HEALTHY + 1);
      producers.add(
          new SoakProducer(
              queue.newProducer(),
              queue.newProducer(),
              put,
              RUN,
              SoakProducer.Fault.NONE,
              100 + i));
    }
    for (int i = 0; i < (kind == Kind.MPSC ? 1 : 2); i++) {
      consumers.add(new SoakConsumer(queue.newConsumer(), HEALTHY + 1, RUN, false, 200 + i));
    }
    for (int i = 0; i < HEALTHY; i++) {
      nextNumbers[i] = new AtomicLong();
    }
    for (SoakConsumer consumer : consumers) {
      crew.start(Thread.ofPlatform().name("consumer").daemon(), () -> take(consumer));
    }
    for (int i = 0; i < HEALTHY; i++) {
      int producer = i;
      crew.start(
          Thread.ofPlatform().name("producer").daemon(),
          () -> {
            put(producer, begin);
            putting.decrementAndGet(); // the last of its records is in the queue
          });
    }
    crew.watchUntil(() -> settled.get() == stops, consumers, () -> QueueSoak.checkSize(queue));
    stopProducers = true;
    crew.watchUntil(() -> putting.get() == 0 && queue.sizeEstimate() == 0, consumers, () -> {});
    stopConsumers = true;
    crew.watchUntil(crew::isDone, consumers, () -> {});
    return new StalledAftermath(queue, limitNanos, claims, producers, consumers).call(begin);
  }

  private void take(SoakConsumer consumer) throws InterruptedException {
    while (!stopConsumers) {
      Ledger.checkWithin("records", consumer.step(), 0, RUN);
    }
  }

  // ---- producers that stop ----

  /** A claim that was left open. */
  private final class Stopped {
    private final Producer<Entry> claim;
    private final int count;
    private final int watched;
    private final long passedFrom;
    private final long notBefore;

    Stopped(Producer<Entry> claim, int count, int watched, long passedFrom, long notBefore) {
      this.claim = claim;
      this.count = count;
      this.watched = watched;
      this.passedFrom = passedFrom;
      this.notBefore = notBefore;
    }

    boolean isDue() {
      return System.nanoTime() - notBefore > 0 && isGivenUp();
    }

    /** Whether a record that was claimed later has been taken. */
    private boolean isGivenUp() {
      return hasSeen(watched, passedFrom);
    }

    void comeBack(boolean commits) {
      for (int round = 0; round < 2; round++) {
        SoakProducer.poison(claim, count);
        Thread.yield();
      }
      if (!commits) {
        claim.abort();
      } else if (SoakProducer.commits(claim)) {
        throw new AssertionError("claim must have been given up: " + claim);
      }
      claims.cameBack(count);
      heldSlots.addAndGet(-count);
      settled.incrementAndGet();
    }
  }

  /** Whether a consumer has come to a number of a producer's. */
  private boolean hasSeen(int producer, long number) {
    return consumers.stream().anyMatch(consumer -> consumer.seen(producer) >= number);
  }

  private void put(int index, long begin) throws Exception {
    SoakProducer producer = producers.get(index);
    SplittableRandom random = producer.random();
    Deque<Stopped> aside = new ArrayDeque<>();
    while (!stopProducers || !aside.isEmpty()) {
      int ticket = nextStop(begin);
      if (ticket >= 0) {
        if (ticket % 2 == 1) {
          long seed = random.nextLong();
          crew.start(Thread.ofVirtual().name("stopped"), () -> stopVirtual(ticket, index, seed));
        } else {
          Producer<Entry> claim = queue.newProducer();
          int count = claimToStop(claim, random);
          long passedFrom = producer.put().nextNumber(); // the next of this very thread
          if (isForGood(ticket)) {
            holdForGood(claim, count);
          } else {
            aside.add(new Stopped(claim, count, index, passedFrom, notBefore(random)));
          }
          if (ticket % 8 == 0) {
            long before = producer.put().peekNumber() - LONGEST_STOPPED * (HEALTHY + 1L);
            producer.dawdle(
                () -> hasSeen(index, before), limitNanos * (80 + random.nextInt(40)) / 100);
          }
        }
      }
      for (int i = aside.size(); i > 0; i--) {
        Stopped stopped = aside.remove();
        if (stopped.isDue()) {
          stopped.comeBack(random.nextInt(8) != 0);
        } else {
          aside.add(stopped);
        }
      }
      if (!producer.step()) {
        throw new AssertionError("queue must be open: " + queue);
      }
      nextNumbers[index].set(producer.put().peekNumber());
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

  private boolean isForGood(int ticket) {
    return (long) (ticket + 1) * forGood / stops > (long) ticket * forGood / stops;
  }

  private long notBefore(SplittableRandom random) {
    // some at once, some after many laps of the ring
    return System.nanoTime() + (random.nextBoolean() ? 0 : random.nextLong(8 * limitNanos));
  }

  private int claimToStop(Producer<Entry> claim, SplittableRandom random) {
    while (true) {
      int count = claim.tryClaim(1 + random.nextInt(LONGEST_STOPPED));
      if (count > 0) {
        heldSlots.addAndGet(count);
        return count;
      }
      if (crew.hasFailed()) {
        throw new IllegalStateException("another thread has failed");
      }
      Thread.yield();
    }
  }

  private void holdForGood(Producer<Entry> claim, int count) {
    claims.hold(claim, count);
    settled.incrementAndGet();
  }

  private void stopVirtual(int ticket, int watched, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Producer<Entry> claim = queue.newProducer();
    int count = claimToStop(claim, random);
    if (isForGood(ticket)) {
      holdForGood(claim, count);
      return; // the thread ends, its claim stays
    }
    // what the watched producer claims from here on, with room for what is under way
    long step = HEALTHY + 1L;
    long passedFrom = nextNumbers[watched].get() + 4L * RUN * step;
    Stopped stopped = new Stopped(claim, count, watched, passedFrom, notBefore(random));
    while (!stopped.isDue()) {
      LockSupport.parkNanos(limitNanos / 4);
      if (crew.hasFailed()) {
        return;
      }
    }
    stopped.comeBack(random.nextInt(8) != 0);
  }
}
