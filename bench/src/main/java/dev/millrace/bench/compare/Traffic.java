package dev.millrace.bench.compare;

import dev.millrace.bench.Words;
import dev.millrace.bench.compare.References.Blocking;
import dev.millrace.bench.harness.Jvm;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Records through a contender, as fast as it goes, for a time. Each side pauses after each attempt
 * in vain, or the ends wait by themselves, and what the threads took of the processors is counted,
 * waits included. All that was sent must come out: told by the sum over all fields.
 */
final class Traffic {
  private static final int ATTEMPTS_PER_LOOK = 256;
  private static final int RUNS_PER_LOOK = 32;
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Work work;
  private final Contender contender;
  private final Idle idle;
  private final long drainNanos;
  private final boolean waits;
  private final boolean countsAll; // what is of interest where records are objects
  private final List<Side> others = new ArrayList<>();
  private final List<Side> producers = new ArrayList<>();
  private final List<Side> consumers = new ArrayList<>();
  private volatile boolean sendersStop;
  private volatile boolean receiversStop;

  /**
   * Makes a run.
   *
   * @param idle how often a side pauses after an attempt in vain
   */
  Traffic(Work work, Contender contender, int idle) {
    this(work, contender, idle, DRAIN_NANOS);
  }

  /** The same with another limit to how long the queue may take to run empty. */
  Traffic(Work work, Contender contender, int idle, long drainNanos) {
    this.work = work.checked();
    this.contender = contender;
    this.idle = new Idle(idle);
    this.drainNanos = drainNanos;
    this.waits = work.shape().measures().contains(Measure.CPU);
    this.countsAll = waits || work.id().startsWith("drop-in");
  }

  /** Warms up, measures, lets the queue run empty and checks. */
  Measured run(long warmupNanos, long nanos) throws InterruptedException {
    if (work.shape() == Work.Shape.PUT_TAKE_BUSY) {
      int processors = Runtime.getRuntime().availableProcessors();
      Side.start(others, processors, "busy", (_, _) -> spin());
    }
    Side.start(consumers, work.consumers(), "consumer", (side, _) -> receiveAll(side));
    Side.start(producers, work.producers(), "producer", this::sendAll);
    Measured measured = Totals.measure(this::totals, warmupNanos, nanos);
    finish();
    return measured;
  }

  /** What all threads have come to. */
  record Totals(
      double records,
      long nanos,
      long failedSends,
      long failedReceives,
      long bytes,
      long cpuNanos,
      long pausedMillis) {
    /** Lets pass the one time, then the other, and tells what came about during that. */
    static Measured measure(Supplier<Totals> totals, long warmupNanos, long nanos)
        throws InterruptedException {
      TimeUnit.NANOSECONDS.sleep(warmupNanos);
      Totals before = totals.get();
      TimeUnit.NANOSECONDS.sleep(nanos);
      return totals.get().since(before);
    }

    private Measured since(Totals before) {
      double some = Math.max(1, records - before.records); // of none there is nothing per record
      return Measured.ofTraffic(
          (records - before.records) * 1e9 / (nanos - before.nanos),
          (failedSends - before.failedSends) / some,
          (failedReceives - before.failedReceives) / some,
          (bytes - before.bytes) / some,
          (cpuNanos - before.cpuNanos) / some,
          (pausedMillis - before.pausedMillis) * 1e9 / (nanos - before.nanos));
    }
  }

  private Totals totals() {
    return new Totals(
        Side.count(consumers),
        System.nanoTime(),
        Side.failures(producers),
        Side.failures(consumers),
        Side.total(Jvm.THREADS::getThreadAllocatedBytes, producers, consumers),
        countsAll ? Side.total(Jvm.THREADS::getThreadCpuTime, producers, consumers) : 0,
        countsAll ? Jvm.collectionMillis() : 0);
  }

  private void finish() throws InterruptedException {
    sendersStop = true;
    Side.join(producers);
    long sent = Side.count(producers);
    if (waits) {
      for (int i = 0; i < consumers.size(); i++) {
        ((Blocking) contender).putEnd();
      }
    } else {
      long deadline = System.nanoTime() + drainNanos;
      while (Side.count(consumers) < sent && System.nanoTime() < deadline) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      receiversStop = true;
    }
    Side.join(consumers);
    Side.join(others);
    check("records received", Side.count(consumers), sent);
    check("sum of their fields", Side.sum(consumers), Side.sum(producers));
  }

  private void spin() {
    while (!sendersStop) {
      Thread.onSpinWait();
    }
  }

  /** Refuses a count that is not what it must be. */
  static void check(String what, long is, long mustBe) {
    if (is != mustBe) {
      throw new AssertionError(what + " must be " + mustBe + ": is " + is);
    }
  }

  private void sendAll(Side side, int index) throws InterruptedException {
    Ends sender = contender.sender();
    long next = Side.firstNumber(index);
    while (!sendersStop) {
      long end =
          waits
              ? put(sender, next)
              : work.sends() == 1 ? sendSingles(sender, next) : sendRuns(sender, next);
      side.add(countOf(end), failuresOf(end), Words.sum(next, countOf(end)));
      next += countOf(end);
    }
  }

  private void receiveAll(Side side) throws InterruptedException {
    Ends receiver = contender.receiver();
    long end;
    do {
      receiver.runSum = 0;
      end =
          waits
              ? take(receiver)
              : work.receives() == 1 ? receiveSingles(receiver) : receiveRuns(receiver);
      side.add(countOf(end), failuresOf(end), receiver.runSum);
    } while (waits ? end == ATTEMPTS_PER_LOOK : !receiversStop);
  }

  // ---- the loops that are measured, each in a small method of its own ----

  // they return how many records, and above them how many attempts in vain
  private static final int FAILURE_SHIFT = 32;

  private static long countOf(long end) {
    return end & (1L << FAILURE_SHIFT) - 1;
  }

  private static long failuresOf(long end) {
    return end >>> FAILURE_SHIFT;
  }

  private long sendSingles(Ends sender, long first) {
    long next = first;
    long failures = 0;
    for (int i = 0; i < ATTEMPTS_PER_LOOK; i++) {
      if (sender.send(next)) {
        next++;
      } else {
        failures++;
        idle.pause();
      }
    }
    return next - first | failures << FAILURE_SHIFT;
  }

  private long sendRuns(Ends sender, long first) {
    int run = work.sends();
    long next = first;
    long failures = 0;
    for (int i = 0; i < RUNS_PER_LOOK; i++) {
      int sent = sender.send(next, run);
      next += sent;
      if (sent == 0) {
        failures++;
        idle.pause();
      }
    }
    return next - first | failures << FAILURE_SHIFT;
  }

  private long receiveSingles(Ends receiver) {
    long count = 0;
    long failures = 0;
    long sum = 0;
    for (int i = 0; i < ATTEMPTS_PER_LOOK; i++) {
      long got = receiver.receive();
      if (got == Ends.NONE) {
        failures++;
        idle.pause();
      } else {
        sum += got;
        count++;
      }
    }
    receiver.runSum = sum;
    return count | failures << FAILURE_SHIFT;
  }

  private long receiveRuns(Ends receiver) {
    int limit = work.receives();
    long count = 0;
    long failures = 0;
    for (int i = 0; i < RUNS_PER_LOOK; i++) {
      int got = receiver.receive(limit);
      count += got;
      if (got == 0) {
        failures++;
        idle.pause();
      }
    }
    return count | failures << FAILURE_SHIFT;
  }

  private static long put(Ends sender, long first) throws InterruptedException {
    for (int i = 0; i < ATTEMPTS_PER_LOOK; i++) {
      sender.put(first + i);
    }
    return ATTEMPTS_PER_LOOK;
  }

  /** Returns fewer than usual at the end. */
  private static long take(Ends receiver) throws InterruptedException {
    int count = 0;
    long sum;
    while (count < ATTEMPTS_PER_LOOK && (sum = receiver.take()) != Ends.NONE) {
      receiver.runSum += sum;
      count++;
    }
    return count;
  }
}
