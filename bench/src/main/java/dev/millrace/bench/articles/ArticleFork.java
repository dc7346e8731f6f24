package dev.millrace.bench.articles;

import dev.millrace.bench.articles.ArticlePipeline.Publisher;
import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Jvm;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Pace;
import dev.millrace.bench.harness.Pauses;
import dev.millrace.bench.harness.Pauses.Pause;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * What a JVM of its own does for {@link ArticleCommand}: warms up with a pipeline, measures with
 * another, and checks what has come out.
 *
 * <p>At a fixed rate a trade's time runs from when it was due, so that what waits behind a slow one
 * counts with its whole wait; that of the call that puts it in runs from the call. A publisher
 * sleeps until shortly before a trade is due, or the stages' threads would lack the processor that
 * it spins on.
 *
 * @param waits how our stages wait
 * @param perSecond the rate; 0 for as fast as it goes
 * @param publishers how many publish
 */
record ArticleFork(
    String side,
    int round,
    String waits,
    long perSecond,
    int publishers,
    long warmupMillis,
    long millis)
    implements Child.Job<ArticleFork.Sample> {
  static final List<String> FLAGS = Jvm.DEFAULT.flags();

  private static final long START_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final double[] PERCENTILES = {50, 90, 99, 99.9};
  private static final int LOOK = 64; // trades between two looks at the clock

  private static final ArticleTrades TRADES = new ArticleTrades();

  /**
   * What was measured.
   *
   * @param count how many trades
   * @param perSecond trades in a second
   * @param figures by their names, which hold the units
   */
  record Sample(ArticleFork fork, long count, double perSecond, Map<String, Double> figures) {}

  /** Does it in a JVM of its own. */
  Sample inJvm(int itsRound) throws IOException, InterruptedException {
    return Child.run(
        new ArticleFork(side, itsRound, waits, perSecond, publishers, warmupMillis, millis),
        FLAGS,
        120 + (warmupMillis + millis) / 1_000,
        Sample.class);
  }

  @Override
  public String toString() {
    return side + (perSecond == 0 ? " flat out" : " at the rate");
  }

  @Override
  public Sample run() throws Exception {
    run(0, TimeUnit.MILLISECONDS.toNanos(warmupMillis));
    return run(perSecond, TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private Sample run(long rate, long nanos) throws Exception {
    try (ArticlePipeline pipeline = ArticlePipeline.of(side, waits, publishers);
        Pauses recording = new Pauses()) {
      long bytes = Jvm.THREADS.getTotalThreadAllocatedBytes();
      recording.restart();
      long begin = System.nanoTime() + START_NANOS;
      AtomicLong next = new AtomicLong();
      List<Histogram> puts =
          publish(
              pipeline,
              publishers,
              rate == 0
                  ? publisher -> putFlatOut(publisher, next, begin, nanos)
                  : publisher -> putAtRate(publisher, next, begin, rate, nanos));
      pipeline.drain();
      double seconds = (System.nanoTime() - begin) / 1e9;
      bytes = Jvm.THREADS.getTotalThreadAllocatedBytes() - bytes;
      recording.stop();
      long count = rate == 0 ? next.get() : Pace.of(rate, 1, 0).recordsWithin(nanos);
      if (!pipeline.lines().equals(TRADES.bookOf(count).lines())) {
        throw new AssertionError("books must agree: " + pipeline.lines());
      }
      Map<String, Double> figures = new LinkedHashMap<>();
      if (rate == 0) {
        figures.put("throughput, thousands/s", count / seconds / 1e3);
      } else {
        pipeline.nanos().forEach((name, times) -> add(figures, name, times));
        puts.subList(1, publishers).forEach(puts.getFirst()::add);
        add(figures, "publish call", puts.getFirst());
      }
      figures.put("allocation, MB/s", bytes / seconds / 1e6);
      addPauses(figures, recording.all(), seconds);
      return new Sample(this, count, count / seconds, figures);
    }
  }

  private static void add(Map<String, Double> figures, String name, Histogram times) {
    figures.put(name + ": mean, us", times.getMean() / 1e3);
    for (double percentile : PERCENTILES) {
      figures.put(
          "%s: %s, us".formatted(name, Latencies.percentile(percentile)),
          times.getValueAtPercentile(percentile) / 1e3);
    }
  }

  private static void addPauses(Map<String, Double> figures, List<Pause> pauses, double seconds) {
    double collections = Pauses.collections(pauses);
    double millis = Pauses.totalMillis(pauses);
    figures.put("collections", collections);
    figures.put("collections a minute", collections * 60 / seconds);
    figures.put("pauses, ms", millis);
    figures.put("pauses, ms a minute", millis * 60 / seconds);
    figures.put("a pause: mean, ms", Pauses.meanMillis(pauses));
    figures.put("longest pause, ms", Pauses.longestMillis(pauses));
  }

  /** What a publisher does. */
  interface Job<T> {
    T run(Publisher publisher) throws InterruptedException;
  }

  /** Does it in as many threads as publish. */
  static <T> List<T> publish(ArticlePipeline pipeline, int publishers, Job<T> job)
      throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(publishers)) {
      Callable<T> one = () -> job.run(pipeline.newPublisher());
      List<T> all = new ArrayList<>();
      for (Future<T> its : threads.invokeAll(Collections.nCopies(publishers, one))) {
        all.add(its.get());
      }
      return all;
    }
  }

  private static Histogram putFlatOut(Publisher publisher, AtomicLong next, long begin, long nanos)
      throws InterruptedException {
    Pace.awaitNanos(begin);
    while (System.nanoTime() - begin < nanos) {
      long first = next.getAndAdd(LOOK);
      for (int i = 0; i < LOOK; i++) {
        publisher.put(TRADES.line(first + i), 0);
      }
    }
    return Latencies.newHistogram();
  }

  private static Histogram putAtRate(
      Publisher publisher, AtomicLong next, long begin, long perSecond, long nanos)
      throws InterruptedException {
    Histogram calls = Latencies.newHistogram();
    Pace pace = Pace.of(perSecond, 1, 0);
    long count = pace.recordsWithin(nanos);
    for (long number = next.getAndIncrement(); number < count; number = next.getAndIncrement()) {
      long due = begin + pace.dueNanos(number);
      Pace.awaitNanos(due);
      long before = System.nanoTime();
      publisher.put(TRADES.line(number), due);
      calls.recordValue(System.nanoTime() - before);
    }
    return calls;
  }
}
