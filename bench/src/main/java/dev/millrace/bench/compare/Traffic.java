package dev.millrace.bench.compare;

import dev.millrace.bench.Words;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Records through a contender, as fast as it goes, for a time. Each side pauses after each attempt
 * in vain. All that was sent must come out: told by the sum over all fields.
 */
final class Traffic {
  private static final int ATTEMPTS_PER_LOOK = 256;
  private static final int RUNS_PER_LOOK = 32;
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final com.sun.management.ThreadMXBean THREADS =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Work work;
  private final Contender contender;
  private final Idle idle;
  private final long drainNanos;
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
  }

  /** Warms up, measures, lets the queue run empty and checks. */
  Measured run(long warmupNanos, long nanos) throws InterruptedException {
    Side.start(consumers, work.consumers(), "consumer", (side, first) -> receiveAll(side));
    Side.start(producers, work.producers(), "producer", this::sendAll);
    TimeUnit.NANOSECONDS.sleep(warmupNanos);
    long records = Side.count(consumers);
    long failedSends = Side.failures(producers);
    long failedReceives = Side.failures(consumers);
    long bytes = allocated();
    long begin = System.nanoTime();
    TimeUnit.NANOSECONDS.sleep(nanos);
    records = Side.count(consumers) - records;
    long took = System.nanoTime() - begin;
    failedSends = Side.failures(producers) - failedSends;
    failedReceives = Side.failures(consumers) - failedReceives;
    bytes = allocated() - bytes;
    finish();
    return Measured.ofTraffic(
        records * 1e9 / took,
        (double) failedSends / records,
        (double) failedReceives / records,
        (double) bytes / records);
  }

  private void finish() throws InterruptedException {
    sendersStop = true;
    Side.join(producers);
    long sent = Side.count(producers);
    long deadline = System.nanoTime() + drainNanos;
    while (Side.count(consumers) < sent && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    receiversStop = true;
    Side.join(consumers);
    check("records received", Side.count(consumers), sent);
    check("sum of their fields", Side.sum(consumers), Side.sum(producers));
  }

  /** Refuses a count that is not what it must be. */
  static void check(String what, long is, long mustBe) {
    if (is != mustBe) {
      throw new AssertionError(what + " must be " + mustBe + ": is " + is);
    }
  }

  private void sendAll(Side side, long first) {
    Ends sender = contender.sender();
    long next = first;
    long failures = 0;
    long sum = 0;
    while (!sendersStop) {
      long end = work.sends() == 1 ? sendSingles(sender, next) : sendRuns(sender, next);
      failures += failuresOf(end);
      sum += Words.sum(next, countOf(end));
      next += countOf(end);
      side.publish(next - first, failures, sum);
    }
  }

  private void receiveAll(Side side) {
    Ends receiver = contender.receiver();
    long records = 0;
    long failures = 0;
    long sum = 0;
    while (!receiversStop) {
      receiver.runSum = 0;
      long end = work.receives() == 1 ? receiveSingles(receiver) : receiveRuns(receiver);
      failures += failuresOf(end);
      records += countOf(end);
      sum += receiver.runSum;
      side.publish(records, failures, sum);
    }
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

  private long allocated() {
    return Side.total(THREADS::getThreadAllocatedBytes, producers, consumers);
  }
}
