package dev.millrace.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The stages with bounded {@link LinkedBlockingQueue}s between them, as one would write it with the
 * JDK: immutable objects are passed on, and each aggregator has a queue of its own, so that its
 * book needs no lock. The work on a trade is the very code of the other side.
 */
final class ArticleQueues extends ArticlePipeline {
  private sealed interface Message permits Came, Parsed, Enriched, End {}

  /** A line as it came; no record, for those are compared by what is in an array's place. */
  private static final class Came implements Message {
    private final byte[] line;
    private final long due;

    Came(byte[] line, long due) {
      this.line = line;
      this.due = due;
    }
  }

  private record Parsed(long symbol, long cents, int size, int venue, long due, long parsed)
      implements Message {}

  private record Enriched(
      long symbol,
      long cents,
      int size,
      long notional,
      int venueCode,
      long due,
      long parsed,
      long enriched)
      implements Message {}

  /** Tells one worker that nothing comes any more. */
  private record End() implements Message {}

  private static final End END = new End();

  /** What a worker does with a message. */
  private interface Step {
    void take(Message message) throws InterruptedException;
  }

  private final BlockingQueue<Message> came = new LinkedBlockingQueue<>(CAPACITY);
  private final BlockingQueue<Message> parsed = new LinkedBlockingQueue<>(CAPACITY);
  private final List<BlockingQueue<Message>> enriched = new ArrayList<>();
  private final CountDownLatch ended = new CountDownLatch(PARSERS + ENRICHERS + AGGREGATORS);
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  ArticleQueues() {
    for (Result result : results) {
      BlockingQueue<Message> its = new LinkedBlockingQueue<>(CAPACITY);
      enriched.add(its);
      start("aggregate", its, message -> aggregate((Enriched) message, result), () -> {});
    }
    AtomicInteger parsers = new AtomicInteger(PARSERS);
    AtomicInteger enrichers = new AtomicInteger(ENRICHERS);
    for (int i = 0; i < PARSERS; i++) {
      ArticleParser parser = new ArticleParser();
      start(
          "parse",
          came,
          message -> parse((Came) message, parser),
          () -> endBehind(parsers, List.of(parsed), ENRICHERS));
    }
    for (int i = 0; i < ENRICHERS; i++) {
      start(
          "enrich",
          parsed,
          message -> enrich((Parsed) message),
          () -> endBehind(enrichers, enriched, 1));
    }
  }

  /** The last worker of a stage ends those of the next. */
  private static void endBehind(
      AtomicInteger left, List<BlockingQueue<Message>> queues, int workers)
      throws InterruptedException {
    if (left.decrementAndGet() == 0) {
      for (BlockingQueue<Message> queue : queues) {
        for (int i = 0; i < workers; i++) {
          queue.put(END);
        }
      }
    }
  }

  /** What a worker does at its end. */
  private interface Last {
    void run() throws InterruptedException;
  }

  private void start(String name, BlockingQueue<Message> queue, Step step, Last last) {
    Thread.ofPlatform()
        .name(name)
        .daemon()
        .start(
            () -> {
              try {
                for (Message next = queue.take(); !(next instanceof End); next = queue.take()) {
                  step.take(next);
                }
                last.run();
              } catch (Throwable e) { // told by drain
                failure.compareAndSet(null, e);
              } finally {
                ended.countDown();
              }
            });
  }

  private void parse(Came message, ArticleParser parser) throws InterruptedException {
    parser.parse(message.line, message.line.length);
    parsed.put(
        new Parsed(
            parser.symbol(),
            parser.cents(),
            parser.size(),
            parser.venue(),
            message.due,
            timeIf(message.due)));
  }

  private void enrich(Parsed trade) throws InterruptedException {
    int aggregator = (int) ((trade.symbol * 0x9E3779B97F4A7C15L) >>> 40) % AGGREGATORS;
    enriched
        .get(aggregator)
        .put(
            new Enriched(
                trade.symbol,
                trade.cents,
                trade.size,
                ArticleParser.notional(trade.cents, trade.size),
                ArticleParser.venueCode(trade.venue),
                trade.due,
                trade.parsed,
                timeIf(trade.due)));
  }

  private static void aggregate(Enriched trade, Result result) {
    result.book.add(trade.symbol, trade.cents, trade.size, trade.notional, trade.venueCode);
    result.passed(trade.due, trade.parsed, trade.enriched);
  }

  @Override
  Publisher newPublisher() {
    return (line, due) -> came.put(new Came(line.clone(), due));
  }

  @Override
  void drain() throws InterruptedException {
    for (int i = 0; i < PARSERS; i++) {
      came.put(END);
    }
    if (!ended.await(30, TimeUnit.SECONDS) || failure.get() != null) {
      throw new AssertionError("stages must end", failure.get());
    }
  }
}
