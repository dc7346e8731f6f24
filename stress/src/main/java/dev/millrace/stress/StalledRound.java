package dev.millrace.stress;

import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.AnyQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.stress.QueueRound.Kind;
import dev.millrace.stress.SoakProducer.Fault;
import dev.millrace.stress.SoakProducer.Patience;
import dev.millrace.stress.SoakProducer.Ways;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec;
import dev.millrace.stress.spec.KFifoSpec;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Producers that stop between claim and commit on a queue with a stall limit, while others go on.
 * Some never come back. The others come back when their claim was given up beyond doubt, because a
 * record that was claimed later has been consumed; they write into their slots what no consumer may
 * see, and end the claim, which must be refused. Every second one is a virtual thread, which may
 * end with its claim open; the others are ends that a producer keeps aside.
 *
 * <p>Besides, producers now and then take about as long as the limit to commit, so that it is open
 * who wins.
 */
final class StalledRound implements Callable<Counts> {
  /** The most records that are claimed or polled at a time. */
  static final int RUN = 8;

  private static final int HEALTHY = 2;
  private static final int LONGEST_STOPPED = 3;

  private final Kind kind;
  private final int capacity;
  private final int stops;
  private final int forGood;
  final long limitNanos;
  private final long nanos;

  final AnyQueue<Entry> queue;
  final List<SoakProducer> producers = new ArrayList<>();
  final List<SoakConsumer> consumers = new ArrayList<>();
  private final AtomicLongArray nextNumbers = new AtomicLongArray(HEALTHY);
  private final Crew crew;
  private final int mostHeld;
  private final AtomicInteger putting = new AtomicInteger(HEALTHY);
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger settled = new AtomicInteger();
  private final AtomicInteger heldSlots = new AtomicInteger();
  final Queue<Stopped> stoppedForGood = new ConcurrentLinkedQueue<>();
  private final AtomicLong lateSlots = new AtomicLong();
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
    if (forGood * LONGEST_STOPPED > mostHeld) {
      throw new IllegalArgumentException(
          "forGood must be at most a quarter of the capacity: forGood=" + forGood);
    }
    this.queue =
        kind.newQueue(
            1,
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

  /** Runs to the end; throws an {@link AssertionError} if anything is not as it must be. */
  @Override
  public Counts call() throws Exception {
    long begin = System.nanoTime();
    MemorySegment memory = QueueRound.memoryOf(queue);
    // the last producer, and the last consumer, are this thread
    for (int i = 0; i <= HEALTHY; i++) {
      producers.add(
          new SoakProducer(
              queue.newProducer(),
              queue.newProducer(),
              new FifoSpec.Sent(i, HEALTHY + 1, false),
              KFifoSpec.Log.none(),
              Ways.flatOut(RUN),
              Fault.NONE,
              100 + i));
    }
    for (int i = 0; i < (kind == Kind.MPSC ? 1 : 2); i++) {
      consumers.add(
          new SoakConsumer(
              List.of(queue.newConsumer()),
              HEALTHY + 1,
              new FifoSpec.Received(HEALTHY + 1, true),
              KFifoSpec.Log.none(),
              RUN,
              Patience.BRIEF,
              200 + i));
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
    return new StalledAftermath(this).call(memory).add("late", lateSlots.get());
  }

  private void take(SoakConsumer consumer) throws InterruptedException {
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
  record Stopped(Producer<Entry> claim, int count, int watched, long passedFrom, long notBefore) {
    /** Ends a claim that was given up. */
    void comeBack(boolean commits) {
      for (int round = 0; round < 2; round++) {
        SoakProducer.poison(claim, count);
        Thread.yield();
      }
      if (commits) {
        QueueRound.check(!SoakProducer.commits(claim), "claim must have been given up", claim);
      } else {
        claim.abort();
      }
    }
  }

  /** Comes back if the claim was given up, because a record that was claimed later was taken. */
  private boolean comesBack(Stopped stopped, SplittableRandom random) {
    if (System.nanoTime() - stopped.notBefore <= 0
        || !hasSeen(stopped.watched, stopped.passedFrom)) {
      return false;
    }
    stopped.comeBack(random.nextInt(8) != 0);
    lateSlots.addAndGet(stopped.count);
    heldSlots.addAndGet(-stopped.count);
    settled.incrementAndGet();
    return true;
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
    Producer<Entry> claim = queue.newProducer();
    int count;
    while ((count = claim.tryClaim(1 + random.nextInt(LONGEST_STOPPED))) == 0) {
      QueueRound.check(!crew.hasFailed(), "another thread must not have failed", queue);
      Thread.yield();
    }
    heldSlots.addAndGet(count);
    // some come back at once, some after many laps of the ring
    long notBefore =
        System.nanoTime() + (random.nextBoolean() ? 0 : random.nextLong(8 * limitNanos));
    Stopped stopped = new Stopped(claim, count, watched, passedFrom.getAsLong(), notBefore);
    if ((long) (ticket + 1) * forGood / stops > (long) ticket * forGood / stops) {
      stoppedForGood.add(stopped);
      settled.incrementAndGet();
    } else {
      comingBack.add(stopped);
    }
  }
}
