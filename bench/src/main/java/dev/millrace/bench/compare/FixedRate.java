package dev.millrace.bench.compare;

import dev.millrace.bench.Words;
import dev.millrace.bench.harness.Jvm;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Pace;
import dev.millrace.core.Sequence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
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
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Work work;
  private final Contender contender;
  private final long perSecond;
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
    this.perSecond = work.perSecond();
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
    private final List<Producer> producers = new ArrayList<>();
    private final Consumer consumer = new Consumer(begin);
    private long tookNanos;

    void run(long nanos) throws InterruptedException {
      for (int i = 0; i < work.producers(); i++) {
        Pace pace = Pace.of(perSecond, work.producers(), i);
        producers.add(new Producer(begin, pace, pace.recordsWithin(nanos)));
      }
      consumer.start("consumer");
      producers.forEach(producer -> producer.start("producer"));
      long deadline = begin + nanos + PATIENCE.toNanos();
      for (Producer producer : producers) {
        await(producer, deadline);
      }
      tookNanos = Math.max(nanos, latest() - begin);
      consumer.expected = total(producer -> producer.records);
      await(consumer, System.nanoTime() + PATIENCE.toNanos());
      Traffic.check("records received", atEnd(consumer.records), consumer.expected);
      Traffic.check("sum of their fields", atEnd(consumer.sum), total(producer -> producer.sum));
    }

    private void await(Side side, long deadline) throws InterruptedException {
      long left = Math.max(1, deadline - System.nanoTime());
      if (!side.thread.join(Duration.ofNanos(left))) {
        gaveUp = true;
        throw new AssertionError(
            "all records must come out within %d s after the last was due: rate=%d"
                .formatted(PATIENCE.toSeconds(), perSecond));
      }
    }

    private long latest() {
      return producers.stream().mapToLong(producer -> producer.endNanos).max().orElseThrow();
    }

    private long total(Function<Producer, Sequence> count) {
      return producers.stream().mapToLong(producer -> atEnd(count.apply(producer))).sum();
    }

    private static long atEnd(Sequence count) {
      return count.getPlain(); // plain: its thread has ended, and been joined
    }

    Measured result(long collections) {
      double records = atEnd(consumer.records);
      boolean countsCpu = work.shape().measures().contains(Measure.CPU);
      long bytes = consumer.bytes + producers.stream().mapToLong(producer -> producer.bytes).sum();
      return Measured.ofTraffic(
              records * 1e9 / tookNanos,
              total(producer -> producer.failures) / records,
              atEnd(consumer.failures) / records,
              bytes / records)
          .with(consumer.latencies, collections)
          .withCpu(countsCpu ? consumer.cpuNanos / records : 0);
    }
  }

  /** One thread and its counts, each in lines of its own; read once the thread has ended. */
  private abstract static class Side {
    final long begin;
    final Sequence records = new Sequence();
    final Sequence failures = new Sequence();
    final Sequence sum = new Sequence();
    Thread thread;
    long bytes;

    Side(long begin) {
      this.begin = begin;
    }

    void start(String name) {
      thread = Thread.ofPlatform().name(name).daemon().start(this::run);
    }

    abstract void run();

    final long now() {
      return System.nanoTime() - begin;
    }

    /** Adds what was seen between two looks around. */
    final void add(long moreRecords, long moreFailures, long moreSum) {
      records.setPlain(records.getPlain() + moreRecords); // plain: read after the thread's end
      failures.setPlain(failures.getPlain() + moreFailures); // plain: as above
      sum.setPlain(sum.getPlain() + moreSum); // plain: as above
    }

    static long allocated() {
      return Jvm.THREADS.getCurrentThreadAllocatedBytes();
    }
  }

  private final class Producer extends Side {
    private final Pace pace;
    private final long count;
    private long endNanos;

    Producer(long begin, Pace pace, long count) {
      super(begin);
      this.pace = pace;
      this.count = count;
    }

    @Override
    void run() {
      Ends sender = contender.sender();
      long before = allocated();
      for (long next = 0; next < count && !gaveUp; next += LOOK) {
        sendSome(sender, next, Math.min(count, next + LOOK));
      }
      bytes = allocated() - before;
      endNanos = System.nanoTime();
    }

    /** Measured, hence in a method of its own. */
    private void sendSome(Ends sender, long first, long end) {
      long failed = 0;
      long sent = 0;
      for (long record = first; record < end; record++) {
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
      add(end - first, failed, sent);
    }
  }

  private final class Consumer extends Side {
    private volatile long expected = Long.MAX_VALUE;
    private Histogram latencies;
    private long cpuNanos;

    Consumer(long begin) {
      super(begin);
    }

    @Override
    void run() {
      Ends receiver = contender.receiver();
      latencies = Latencies.newHistogram();
      long before = allocated();
      long cpuBefore = Jvm.THREADS.getCurrentThreadCpuTime();
      // plain: only this thread writes it
      while (records.getPlain() < expected && !gaveUp) {
        receiveSome(receiver, latencies);
      }
      cpuNanos = Jvm.THREADS.getCurrentThreadCpuTime() - cpuBefore;
      bytes = allocated() - before;
    }

    /** Measured, hence in a method of its own. */
    private void receiveSome(Ends receiver, Histogram times) {
      long count = 0;
      long failed = 0;
      long received = 0;
      int look = waits ? 1 : LOOK; // or it would wait on when all has come
      for (int i = 0; i < look; i++) {
        long got = waits ? take(receiver) : receiver.receive();
        if (got == Ends.NONE) {
          failed++;
          idle.pause();
        } else {
          times.recordValue(now() - dueOf(got));
          received += got;
          count++;
        }
      }
      add(count, failed, received);
    }

    private static long take(Ends receiver) {
      try {
        return receiver.take();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    private static long dueOf(long sum) {
      return (sum - SUM_OF_ZERO) / Words.COUNT;
    }
  }
}
