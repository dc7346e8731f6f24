package dev.millrace.bench.articles;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * The stages with bounded {@link LinkedBlockingQueue}s between them, as one would write it with the
 * JDK: immutable objects are passed on, and each aggregator has a queue of its own, so that its
 * book needs no lock. The work on a trade is the very code of the other side.
 */
final class ArticleQueues extends ArticlePipeline {
  private sealed interface Message permits Came, Parsed, Enriched, End {}

  /** A line as it came. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares it
  private record Came(byte[] line, long due) implements Message {}

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

  /** The workers of a queue. */
  private record Stage(BlockingQueue<Message> queue, List<Thread> workers) {}

  private final BlockingQueue<Message> came = new LinkedBlockingQueue<>(CAPACITY);
  private final BlockingQueue<Message> parsed = new LinkedBlockingQueue<>(CAPACITY);
  private final List<BlockingQueue<Message>> enriched = new ArrayList<>();
  private final List<Stage> stages = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  ArticleQueues() {
    start("parse", PARSERS, came, this::newParser);
    start("enrich", ENRICHERS, parsed, this::newEnricher);
    for (Result result : results) {
      BlockingQueue<Message> its = new LinkedBlockingQueue<>(CAPACITY);
      enriched.add(its);
      start("aggregate", 1, its, () -> newAggregator(result));
    }
  }

  private void start(
      String name, int workers, BlockingQueue<Message> queue, Supplier<Step> newStep) {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      Step step = newStep.get();
      threads.add(Thread.ofPlatform().name(name).daemon().start(() -> work(queue, step)));
    }
    stages.add(new Stage(queue, threads));
  }

  private void work(BlockingQueue<Message> queue, Step step) {
    try {
      for (Message next = queue.take(); !(next instanceof End); next = queue.take()) {
        step.take(next);
      }
    } catch (Throwable e) { // told by drain
      failure.compareAndSet(null, e);
    }
  }

  private Step newParser() {
    ArticleParser parser = new ArticleParser();
    Worker worker = newWorker("parse");
    return message -> parse((Came) message, parser, worker);
  }

  private Step newEnricher() {
    Worker worker = newWorker("enrich");
    return message -> enrich((Parsed) message, worker);
  }

  private Step newAggregator(Result result) {
    Worker worker = newWorker("aggregate");
    return message -> aggregate((Enriched) message, result, worker);
  }

  private void parse(Came message, ArticleParser parser, Worker worker)
      throws InterruptedException {
    long begun = worker.begin(message.due);
    parser.parse(message.line, message.line.length);
    parsed.put(
        new Parsed(
            parser.symbol,
            parser.cents,
            parser.size,
            parser.venue,
            message.due,
            worker.end(begun)));
  }

  private void enrich(Parsed trade, Worker worker) throws InterruptedException {
    long begun = worker.begin(trade.parsed);
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
                worker.end(begun)));
  }

  private static void aggregate(Enriched trade, Result result, Worker worker) {
    long begun = worker.begin(trade.enriched);
    result.book.add(trade.symbol, trade.cents, trade.size, trade.notional, trade.venueCode);
    result.passed(trade.due, trade.parsed, trade.enriched, worker.end(begun));
  }

  @Override
  Publisher newPublisher() {
    return (line, due) -> came.put(new Came(line.clone(), due));
  }

  /** Stage by stage: who is behind another ends after it. */
  @Override
  void drain() throws InterruptedException {
    for (Stage stage : stages) {
      for (int i = 0; i < stage.workers().size(); i++) {
        stage.queue().put(END);
      }
      for (Thread worker : stage.workers()) {
        if (!worker.join(Duration.ofSeconds(30)) || failure.get() != null) {
          throw new AssertionError("stages must end", failure.get());
        }
      }
    }
  }
}
