package dev.millrace.bench.articles;

import dev.millrace.bench.harness.Latencies;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * The three stages of the article, parse, enrich and aggregate, with four, four and two workers; an
 * aggregator has the trades of its symbols.
 */
abstract sealed class ArticlePipeline implements AutoCloseable
    permits ArticleMillrace, ArticleQueues {
  static final int PARSERS = 4;
  static final int ENRICHERS = 4;
  static final int AGGREGATORS = 2;

  /** Slots of the ring; places of each queue. */
  static final int CAPACITY = 1_024;

  /**
   * The times that are taken: of all stages together, and of each from the end of the one before.
   */
  static final List<String> TIMES = List.of("all", "parse", "enrich", "aggregate");

  /**
   * How long the trades of one worker have waited for it, and how long it has worked on them. Those
   * that have no time when they were due are not timed.
   */
  static final class Worker {
    private final Histogram waiting = Latencies.newHistogram();
    private final Histogram working = Latencies.newHistogram();

    /**
     * Begins to work on a trade.
     *
     * @param ready when it was due, or when the stage before has ended; 0 if it is not timed
     * @return the time now; 0 if it is not timed
     */
    long begin(long ready) {
      if (ready == 0) {
        return 0;
      }
      long now = System.nanoTime();
      waiting.recordValue(now - ready);
      return now;
    }

    /**
     * Ends the work on a trade.
     *
     * @return the time now; 0 if it is not timed
     */
    long end(long begun) {
      if (begun == 0) {
        return 0;
      }
      long now = System.nanoTime();
      working.recordValue(now - begun);
      return now;
    }
  }

  /** The end of the pipeline: one aggregator's. */
  static final class Result {
    final ArticleBook book = new ArticleBook();
    private final List<Histogram> nanos =
        TIMES.stream().map(_ -> Latencies.newHistogram()).toList();

    /** A trade has passed the stages, which ended at these times. Those not due are not timed. */
    void passed(long due, long parsed, long enriched, long aggregated) {
      if (due != 0) {
        nanos.get(0).recordValue(aggregated - due);
        nanos.get(1).recordValue(parsed - due);
        nanos.get(2).recordValue(enriched - parsed);
        nanos.get(3).recordValue(aggregated - enriched);
      }
    }
  }

  /** An end to put trades in by; one thread's. */
  interface Publisher {
    /**
     * Puts in a trade, and waits while there is no room.
     *
     * @param line the caller's: it is copied
     * @param due when it was due, on {@link System#nanoTime}'s scale; 0 if it is not timed
     */
    void put(byte[] line, long due) throws InterruptedException;
  }

  final Result[] results = new Result[AGGREGATORS];
  private final Map<String, List<Worker>> workers = new LinkedHashMap<>();

  ArticlePipeline() {
    for (int i = 0; i < AGGREGATORS; i++) {
      results[i] = new Result();
    }
  }

  /** Makes one, whose threads run. */
  static ArticlePipeline of(String side, String wait, int publishers) {
    return switch (side) {
      case "millrace" -> new ArticleMillrace(wait, publishers);
      case "queues" -> new ArticleQueues();
      default -> throw new IllegalArgumentException("side must be millrace or queues: " + side);
    };
  }

  abstract Publisher newPublisher();

  /**
   * Adds a worker to a stage.
   *
   * @param stage one of {@link #TIMES} but the first
   */
  final Worker newWorker(String stage) {
    Worker worker = new Worker();
    workers.computeIfAbsent(stage, _ -> new ArrayList<>()).add(worker);
    return worker;
  }

  /** Waits until all that was put in has come out, and ends the threads. */
  abstract void drain() throws InterruptedException;

  /** What has come out, by symbol. */
  final Map<Long, ArticleBook.Line> lines() {
    Map<Long, ArticleBook.Line> lines = new TreeMap<>();
    for (Result result : results) {
      result.book.addTo(lines);
    }
    return lines;
  }

  /** The times by their names; of each stage also the waiting for a worker, and its work. */
  final Map<String, Histogram> nanos() {
    Map<String, Histogram> all = new LinkedHashMap<>();
    for (int i = 0; i < TIMES.size(); i++) {
      Histogram sum = all.computeIfAbsent(TIMES.get(i), _ -> Latencies.newHistogram());
      for (Result result : results) {
        sum.add(result.nanos.get(i));
      }
    }
    workers.forEach(
        (stage, some) -> {
          Histogram waiting = Latencies.newHistogram();
          Histogram working = Latencies.newHistogram();
          some.forEach(
              worker -> {
                waiting.add(worker.waiting);
                working.add(worker.working);
              });
          all.put(stage + ", waiting", waiting);
          all.put(stage + ", working", working);
        });
    return all;
  }

  @Override
  public void close() {}
}
