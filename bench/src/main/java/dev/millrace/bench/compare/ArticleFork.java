package dev.millrace.bench.compare;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * What a JVM of its own does for {@link ArticleCommand}: warms up with a pipeline, measures with
 * another, checks what has come out, and prints the {@link Sample} as JSON.
 *
 * <p>At a fixed rate a trade's time runs from when it was due, so that what waits behind a slow one
 * counts with its whole wait. The producer sleeps until shortly before a trade is due, or the
 * stages' threads would lack the processor that it spins on.
 */
final class ArticleFork {
  private static final long START_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long SLACK_NANOS = TimeUnit.MICROSECONDS.toNanos(60); // of a sleep
  private static final int LOOK = 64; // trades between two looks at the clock
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final ArticleTrades trades = new ArticleTrades();
  private final String side;
  private final String wait;

  private ArticleFork(String side, String wait) {
    this.side = side;
    this.wait = wait;
  }

  /**
   * What was measured.
   *
   * @param perSecondWanted the rate; 0 for as fast as it goes
   * @param count how many trades
   * @param perSecond trades in a second
   * @param mean of the times, in nanoseconds; 0 where there are none
   * @param bytesPerSecond heap allocated in a second, by all threads
   */
  record Sample(
      String side,
      int round,
      String waits,
      long perSecondWanted,
      long count,
      double perSecond,
      double mean,
      double p50,
      double p99,
      double p999,
      double bytesPerSecond) {}

  /**
   * Runs.
   *
   * @param args the side, the round, the wait strategy, the rate or 0, and the milliseconds to warm
   *     up and to measure
   * @throws Exception if a stage fails
   */
  public static void main(String[] args) throws Exception {
    ArticleFork fork = new ArticleFork(args[0], args[2]);
    long perSecond = Long.parseLong(args[3]);
    fork.run(0, 0, TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[4])));
    Sample sample =
        fork.run(
            Integer.parseInt(args[1]),
            perSecond,
            TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[5])));
    System.out.println(new ObjectMapper().writeValueAsString(sample));
    System.exit(0);
  }

  private Sample run(int round, long perSecond, long nanos) throws InterruptedException {
    try (ArticlePipeline pipeline = ArticlePipeline.of(side, wait)) {
      long bytes = THREADS.getTotalThreadAllocatedBytes();
      long begin = System.nanoTime() + START_NANOS;
      long count =
          perSecond == 0
              ? putFlatOut(pipeline, begin, nanos)
              : putAtRate(pipeline, begin, perSecond, nanos);
      pipeline.drain();
      long took = System.nanoTime() - begin;
      bytes = THREADS.getTotalThreadAllocatedBytes() - bytes;
      if (!pipeline.lines().equals(trades.bookOf(count).lines())) {
        throw new AssertionError("books must agree: " + pipeline.lines());
      }
      Histogram times = pipeline.nanos();
      return new Sample(
          side,
          round,
          wait,
          perSecond,
          count,
          count * 1e9 / took,
          times.getMean(),
          times.getValueAtPercentile(50),
          times.getValueAtPercentile(99),
          times.getValueAtPercentile(99.9),
          bytes * 1e9 / took);
    }
  }

  private long putFlatOut(ArticlePipeline pipeline, long begin, long nanos)
      throws InterruptedException {
    await(begin);
    long next = 0;
    while (System.nanoTime() - begin < nanos) {
      for (long end = next + LOOK; next < end; next++) {
        pipeline.put(trades.line(next), 0);
      }
    }
    return next;
  }

  private long putAtRate(ArticlePipeline pipeline, long begin, long perSecond, long nanos)
      throws InterruptedException {
    Pace pace = Pace.of(perSecond, 1, 0);
    long count = pace.recordsWithin(nanos);
    for (long next = 0; next < count; next++) {
      long due = begin + pace.dueNanos(next);
      await(due);
      pipeline.put(trades.line(next), due);
    }
    return count;
  }

  private static void await(long time) {
    long left = time - System.nanoTime();
    while (left > 0) {
      if (left > SLACK_NANOS) {
        LockSupport.parkNanos(left - SLACK_NANOS);
      } else {
        Thread.yield();
      }
      left = time - System.nanoTime();
    }
  }
}
