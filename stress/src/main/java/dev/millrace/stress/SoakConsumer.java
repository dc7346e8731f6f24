package dev.millrace.stress;

import dev.millrace.core.Consumer;
import dev.millrace.queues.MpmcConsumer;
import dev.millrace.queues.MpscConsumer;
import dev.millrace.stress.SoakProducer.Patience;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec.Received;
import dev.millrace.stress.spec.KFifoSpec;
import dev.millrace.stress.spec.KFifoSpec.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.ToLongFunction;

/**
 * A consumer of the soaks: takes in every form, checks each record, and keeps account of it. With
 * several ends it holds some of the records for a while.
 *
 * @param <T> the view of a record
 */
class SoakConsumer<T> {
  /** What {@link #step} returns when there will be no more. */
  static final int DRAINED = -1;

  private static final int ONE_THROW_IN = 64;
  private static final int ONE_HELD_IN = 4;

  /** Thrown by a handler, now and then. */
  private static final class Thrown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Thrown() {
      super("handler", null, false, false);
    }
  }

  /** A record that was polled and is not yet released. */
  private record Held<T>(Consumer<T> end, int last, long number) {}

  private final Deque<Consumer<T>> free;
  private final List<Held<T>> held = new ArrayList<>();
  private final int mostHeld;
  private final ToLongFunction<T> reader;
  private final Received received;
  private final KFifoSpec.Log log;
  private final int run;
  private final Patience patience;
  private final AtomicLongArray seen; // by producer: the number taken last
  private volatile long steps;
  private long begin; // of the call, or of the next poll of a drain
  private long number; // of the record taken last
  private boolean isEmpty; // whether the last call found less than it asked for

  final SplittableRandom random;
  int drained;
  private int throwAt; // the record whose handler throws; 0 for none

  /**
   * Makes a consumer, for one thread.
   *
   * @param ends of the queue
   * @param reader reads the number of a record, and checks all of it
   * @param run the longest run that it polls
   */
  SoakConsumer(
      List<? extends Consumer<T>> ends,
      ToLongFunction<T> reader,
      int producers,
      Received received,
      KFifoSpec.Log log,
      int run,
      Patience patience,
      long seed) {
    this.free = new ArrayDeque<>(ends);
    this.mostHeld = ends.size();
    this.reader = reader;
    this.received = received;
    this.log = log;
    this.run = run;
    this.patience = patience;
    this.random = new SplittableRandom(seed);
    this.seen = new AtomicLongArray(producers);
    for (int i = 0; i < producers; i++) {
      seen.set(i, -1);
    }
  }

  Received received() {
    return received;
  }

  /** Whether it has done all the wrong that it is to do, for any thread. */
  boolean isThrough() {
    return true;
  }

  /** How many calls have returned, for any thread. */
  long steps() {
    return steps;
  }

  /** A number at or below the last one that was taken of a producer's, for any thread. */
  long seen(int producer) {
    return seen.get(producer);
  }

  /** Changes with each record that is taken, for any thread. */
  long seenSum() {
    long sum = 0;
    for (int i = 0; i < seen.length(); i++) {
      sum += seen.get(i);
    }
    return sum;
  }

  /** Takes all records until the queue is drained. */
  void run() throws InterruptedException {
    while (step() != DRAINED) {
      // each step is one
    }
  }

  /** Takes one record, if there is one. */
  boolean tryTake() {
    T record = free.element().tryPoll();
    if (record == null) {
      return false;
    }
    take(record);
    free.element().release();
    return true;
  }

  /** Whether there will be no more. */
  boolean isDrained() {
    return free.element().isDrained();
  }

  /** Takes records, in a form of its choice; returns how many, or {@link #DRAINED}. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // only the consumer writes it
  int step() throws InterruptedException {
    int limit = 1 + random.nextInt(run);
    begin = log.now();
    int form = random.nextInt(6);
    int count = form == 0 ? drain(free.element(), limit) : poll(form, limit);
    steps++;
    return isEmpty && findsEnd() ? DRAINED : count;
  }

  /**
   * Gives back all that it holds, because producers may wait for it; returns whether none comes.
   */
  private boolean findsEnd() {
    log.add(Kind.EMPTY, -1, begin);
    while (!held.isEmpty()) {
      release();
    }
    boolean isEnd = free.element().isDrained();
    if (isEnd) {
      log.add(Kind.END, -1, log.now());
    } else {
      Thread.yield();
    }
    return isEnd;
  }

  private int poll(int form, int limit) throws InterruptedException {
    Consumer<T> end = free.element();
    Patience waits = held.isEmpty() ? patience : Patience.NONE; // as above
    boolean isEndless = waits == Patience.ENDLESS;
    int count =
        switch (form) {
          case 1 -> isEndless ? end.poll(limit) : end.tryPoll(limit);
          case 2 -> count(end.tryPoll());
          case 3 -> count(isEndless ? end.poll() : briefly(end, waits));
          case 4 -> count(briefly(end, waits));
          default -> count(strictly(end));
        };
    for (int i = 0; i < count; i++) {
      take(end.at(i));
    }
    isEmpty = count == 0;
    if (!isEmpty && mostHeld == 1) {
      end.release();
    } else if (!isEmpty) {
      held.add(new Held<>(free.remove(), count - 1, number));
      SoakProducer.linger(random);
      while (held.size() == mostHeld || (!held.isEmpty() && random.nextInt(ONE_HELD_IN) != 0)) {
        release();
      }
    }
    return count;
  }

  private T briefly(Consumer<T> end, Patience waits) throws InterruptedException {
    return waits == Patience.NONE ? end.tryPoll() : end.poll(SoakProducer.LONGEST_WAIT);
  }

  T strictly(Consumer<T> end) throws InterruptedException {
    return switch (end) {
      case MpscConsumer<T> mpsc -> mpsc.strictPoll();
      case MpmcConsumer<T> mpmc -> mpmc.strictPoll();
      default -> end.tryPoll();
    };
  }

  private int count(T record) {
    return record == null ? 0 : 1;
  }

  long check(T record) {
    return reader.applyAsLong(record);
  }

  void take(T record) {
    number = check(record);
    log.add(Kind.POLL, number, begin);
    received.take(number);
    seen.lazySet((int) (number % seen.length()), number);
  }

  /** Gives back one of those that it holds. */
  private void release() {
    Held<T> one = held.remove(random.nextInt(held.size()));
    Counts.check("number of a record that is held", check(one.end.at(one.last)), one.number);
    long call = log.now();
    one.end.release();
    log.add(Kind.RELEASE, one.number, call);
    free.add(one.end);
  }

  /**
   * Lets a handler take records, which throws now and then. Between two of its calls one record is
   * released, and then the next is polled, which began and ended no earlier and no later.
   */
  private int drain(Consumer<T> end, int limit) {
    throwAt = random.nextInt(ONE_THROW_IN) == 0 ? 1 + random.nextInt(limit) : 0;
    drained = 0;
    isEmpty = false;
    try {
      isEmpty = drains(end, limit);
    } catch (Thrown e) {
      // the record counts as taken
    }
    endDrained();
    return drained;
  }

  /** Lets {@link #handle} take records; returns whether there were fewer than it could. */
  boolean drains(Consumer<T> end, int limit) {
    int count = end.drain(this::handle, limit);
    Counts.check("drained", count, drained);
    return count < limit;
  }

  final void handle(T record) {
    endDrained();
    take(record);
    begin = log.now();
    if (++drained == throwAt) {
      throw new Thrown();
    }
  }

  private void endDrained() {
    if (drained > 0) {
      log.add(Kind.RELEASE, number, begin);
    }
  }
}
