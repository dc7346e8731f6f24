package dev.millrace.bench.compare;

import dev.millrace.bench.Words;
import dev.millrace.bench.harness.Jvm;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Pace;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/**
 * Records at a fixed rate, and the time of each from when it is due until it is received. A
 * producer that is late, because the queue is full or its thread was stopped, sends at once and
 * goes on so until it has caught up, and what waited counts from when it was due: no record is left
 * out because another one was slow ("coordinated omission"). Each record carries its due time; all
 * that was sent must come out, told by the sum over all fields.
 *
 * <p><b>The heap.</b> It is the runner's, and nothing is on it but the contender and its records:
 * what the collector does here it does for the contender. Who sends objects used in turn, or bytes,
 * allocates nothing and is never stopped; who makes an object for each record is stopped whenever
 * the young generation is full. In a program that allocates for other reasons too, all are stopped
 * alike, and longer where more records are alive. Collections while it measured are counted.
 */
final class FixedRate {
  private static final int LOOK = 256; // records or attempts between two looks around
  private static final long START_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long SUM_OF_ZERO = Words.sum(0);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Work work;
  private final Contender contender;
  private final Idle idle;
  private final boolean waits;
  private volatile boolean gaveUp;

  /**
   * Makes a run.
   *
   * @param work one with one consumer, and a rate of all producers together
   * @param idle how often a side pauses after an attempt in vain
   */
  FixedRate(Work work, Contender contender, int idle) {
    if (work.consumers() != 1) {
      throw new IllegalArgumentException(
          "work must have one consumer: consumers=" + work.consumers());
    }
    this.work = work.checked();
    this.contender = contender;
    this.idle = new Idle(idle);
    this.waits = work.shape() == Work.Shape.WAITING;
  }

  /** Keeps the rate to warm up, lets the queue run empty, and measures from a new beginning. */
  Measured run(long warmupNanos, long nanos) throws InterruptedException {
    new Phase().run(warmupNanos);
    long collections = Jvm.collections();
    Phase measured = new Phase();
    measured.run(nanos);
    return measured.result(Jvm.collections() - collections);
  }

  /** A schedule from its beginning to its end. */
  private final class Phase {
    private final long begin = System.nanoTime() + START_NANOS;
    private final List<Side> producers = new ArrayList<>();
    private final List<Side> consumers = new ArrayList<>();
    private final LongAdder bytes = new LongAdder();
    private final LongAccumulator end = new LongAccumulator(Math::max, 0); // since the beginning
    private final Histogram times = Latencies.newHistogram();
    private volatile long expected = Long.MAX_VALUE;
    private long cpuNanos;

    void run(long nanos) throws InterruptedException {
      Side.start(consumers, 1, "consumer", (side, _) -> receiveAll(side));
      Side.start(
          producers, work.producers(), "producer", (side, index) -> sendAll(side, index, nanos));
      await(producers, begin + nanos - System.nanoTime());
      end.accumulate(nanos);
      expected = Side.count(producers);
      await(consumers, 0);
      Traffic.check("records received", Side.count(consumers), expected);
      Traffic.check("sum of their fields", Side.sum(consumers), Side.sum(producers));
    }

    private void await(List<Side> sides, long nanos) throws InterruptedException {
      if (!Side.join(sides, nanos + PATIENCE_NANOS)) {
        gaveUp = true;
        throw new AssertionError(
            "all records must come out within %d s after the last was due: rate=%d"
                .formatted(TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS), work.perSecond()));
      }
    }

    Measured result(long collections) {
      double records = expected;
      return Measured.ofTraffic(
              records * 1e9 / end.get(),
              Side.failures(producers) / records,
              Side.failures(consumers) / records,
              bytes.sum() / records,
              work.shape().measures().contains(Measure.CPU) ? cpuNanos / records : 0,
              0)
          .with(times, collections);
    }

    private long now() {
      return System.nanoTime() - begin;
    }

    private void sendAll(Side side, int index, long nanos) {
      Ends sender = contender.sender();
      Pace pace = Pace.of(work.perSecond(), work.producers(), index);
      long count = pace.recordsWithin(nanos);
      long before = allocated();
      for (long next = 0; next < count && !gaveUp; next += LOOK) {
        sendSome(side, sender, pace, next, Math.min(count, next + LOOK));
      }
      bytes.add(allocated() - before);
      end.accumulate(now());
    }

    /** Measured, hence in a method of its own. */
    private void sendSome(Side side, Ends sender, Pace pace, long first, long last) {
      long failed = 0;
      long sent = 0;
      for (long record = first; record < last; record++) {
        long due = pace.dueNanos(record);
        while (now() < due) {
          // no pause, which would be longer than the clock takes
        }
        while (!sender.send(due)) {
          failed++;
          if (gaveUp) {
            return;
          }
          idle.pause();
        }
        sent += Words.sum(due);
      }
      side.add(last - first, failed, sent);
    }

    private void receiveAll(Side side) throws InterruptedException {
      Ends receiver = contender.receiver();
      long before = allocated();
      long cpuBefore = Jvm.THREADS.getCurrentThreadCpuTime();
      while (side.records() < expected && !gaveUp) {
        receiveSome(side, receiver);
      }
      cpuNanos = Jvm.THREADS.getCurrentThreadCpuTime() - cpuBefore;
      bytes.add(allocated() - before);
    }

    /** Measured, hence in a method of its own. */
    private void receiveSome(Side side, Ends receiver) throws InterruptedException {
      long count = 0;
      long failed = 0;
      long received = 0;
      int look = waits ? 1 : LOOK; // or it would wait on when all has come
      for (int i = 0; i < look; i++) {
        long got = waits ? receiver.take() : receiver.receive();
        if (got == Ends.NONE) {
          failed++;
          idle.pause();
        } else {
          times.recordValue(now() - dueOf(got));
          received += got;
          count++;
        }
      }
      side.add(count, failed, received);
    }

    private static long dueOf(long sum) {
      return (sum - SUM_OF_ZERO) / Words.COUNT;
    }

    private static long allocated() {
      return Jvm.THREADS.getCurrentThreadAllocatedBytes();
    }
  }
}
