package dev.millrace.bench.compare;

import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * The three stages of the article, parse, enrich and aggregate, with four, four and two workers; an
 * aggregator has the trades of its symbols. One thread puts in.
 */
abstract sealed class ArticlePipeline implements AutoCloseable
    permits ArticleMillrace, ArticleQueues {
  static final int PARSERS = 4;
  static final int ENRICHERS = 4;
  static final int AGGREGATORS = 2;

  /** Slots of the ring; places of each queue. */
  static final int CAPACITY = 1_024;

  /** The end of the pipeline: one aggregator's. */
  static final class Result {
    final ArticleBook book = new ArticleBook();
    final Histogram nanos = Latencies.newHistogram();
  }

  final Result[] results = new Result[AGGREGATORS];

  ArticlePipeline() {
    for (int i = 0; i < AGGREGATORS; i++) {
      results[i] = new Result();
    }
  }

  /** Makes one, whose threads run. */
  static ArticlePipeline of(String side, String wait) {
    return switch (side) {
      case "millrace" -> new ArticleMillrace(wait);
      case "queues" -> new ArticleQueues();
      default -> throw new IllegalArgumentException("side must be millrace or queues: " + side);
    };
  }

  /**
   * Puts in a trade, and waits while there is no room.
   *
   * @param line the caller's: it is copied
   * @param due when it was due, on {@link System#nanoTime}'s scale; 0 if that is not asked for
   */
  abstract void put(byte[] line, long due) throws InterruptedException;

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

  /** The times from when trades were due. */
  final Histogram nanos() {
    Histogram all = Latencies.newHistogram();
    for (Result result : results) {
      all.add(result.nanos);
    }
    return all;
  }

  @Override
  public void close() {}
}
