package dev.millrace.ohlcv.candle;

import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscConsumer;
import dev.millrace.queues.SpscProducer;
import dev.millrace.queues.SpscQueue;
import dev.millrace.telemetry.Telemetry;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The engine on Millrace: trades, candles and history in native memory, nothing on the heap.
 *
 * <pre>
 *   feeder --accept--> SpscQueue --aggregator--> CandleWindow (one per symbol) --> sink
 *                                           \--> HistoryRing (latest trades)
 *                                  readers <--copy, then validate-- both
 * </pre>
 *
 * <p><b>Cost.</b> 64 bytes of native memory per trade under way or kept, 160 per open candle. Only
 * the first trade of a symbol allocates.
 */
final class OffHeapEngine implements CandleEngine {
  private static final int QUEUE_CAPACITY = 65_536;
  private static final int BATCH = 256;
  // Sleeps soon and never yields: the aggregator would take turns with the threads that query.
  private static final WaitStrategy AGGREGATOR_WAITS = new WaitStrategy(100, 0, 50_000);

  private final Emitter emitter;
  private final SpscQueue<TradeFlyweight> queue;
  private final SpscProducer<TradeFlyweight> producer; // the feeder's
  private final EngineWatch watch; // the feeder's
  private long accepted; // the feeder's
  private final Tally mostQueued = new Tally();
  private final OpenCandles open;
  private final Aggregator aggregator;

  OffHeapEngine(Options options, CandleSink sink) {
    this.emitter = new Emitter(sink);
    this.queue =
        SpscQueue.of(
            FlyweightType.of(TradeFlyweight::new),
            QueueOptions.ofCapacity(QUEUE_CAPACITY).withConsumerWaits(AGGREGATOR_WAITS));
    this.producer = queue.producer();
    this.watch = options.watch();
    this.open = new OpenCandles(options);
    this.aggregator = new Aggregator("off-heap-aggregator", this::aggregate, queue::complete);
    aggregator.start();
  }

  @Override
  public void accept(TradeRow trade) throws InterruptedException {
    watch.feeding(accepted + 1);
    try {
      producer.claim().set(trade, ++accepted);
      producer.commit();
    } catch (IllegalStateException e) { // no more claims: the aggregator has failed
      aggregator.check();
      throw e;
    }
  }

  @Override
  public void finish() throws InterruptedException {
    queue.complete();
    aggregator.join();
  }

  @Override
  public void stop() throws InterruptedException {
    emitter.withholdOpen();
    finish();
  }

  @Override
  public void close() {
    emitter.abandon();
    queue.complete();
    aggregator.joinQuietly();
    queue.close(); // only now: neither side is in its memory any more
    open.close();
  }

  @Override
  public Reader newReader() {
    return new WindowReader(open::windowOrNull);
  }

  @Override
  public CandleSnapshot newSnapshot(int capacity) {
    return new WindowSnapshot(open::windowOrNull, capacity);
  }

  @Override
  public Optional<LastTrade> lastTrade() {
    return open.last().map(OpenCandles.Numbered::trade);
  }

  @Override
  public Counts counts() {
    return new Counts(open.trades(), open.late(), open.refused(), emitter.count());
  }

  @Override
  public OptionalLong mostQueued() {
    return OptionalLong.of(mostQueued.get());
  }

  @Override
  public void reportTo(Telemetry telemetry) {
    telemetry.report("queue", queue);
  }

  private void aggregate() throws IOException, InterruptedException {
    SpscConsumer<TradeFlyweight> consumer = queue.consumer();
    int count;
    while (!emitter.isAbandoned() && (count = consumer.poll(BATCH)) > 0) {
      mostQueued.raiseTo(queue.sizeEstimate());
      for (int i = 0; i < count; i++) {
        TradeFlyweight trade = consumer.at(i);
        open.place(trade, emitter);
        open.watch().placed(trade.number());
      }
      consumer.release();
    }
    emitter.emitOpen(open::windowOrNull, open.symbols());
  }
}
