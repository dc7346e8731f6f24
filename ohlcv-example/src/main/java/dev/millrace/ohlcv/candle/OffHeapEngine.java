package dev.millrace.ohlcv.candle;

import dev.millrace.core.Measured;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The engine on Millrace: trades and candles in native memory, nothing on the heap.
 *
 * <pre>
 *   feeder --accept--> SpscQueue --aggregator--> CandleWindow (one per symbol) --> sink
 *                                                     \--> HistoryRing (closed candles)
 *                                  readers <--copy, then validate-- both
 * </pre>
 *
 * <p><b>Cost.</b> 64 bytes of native memory per trade under way, and what candles take. Only the
 * first trade of a symbol allocates.
 */
final class OffHeapEngine implements CandleEngine {
  private static final int QUEUE_CAPACITY = 65_536;
  private static final int BATCH = 256;
  // Sleeps soon and never yields: the aggregator would take turns with the threads that query. The
  // queue has room for some milliseconds, and each sleep costs as much as many trades.
  private static final WaitStrategy AGGREGATOR_WAITS = new WaitStrategy(100, 0, 500_000);

  private final CandleSink sink;
  private final OpenCandles open;
  private final SpscQueue<TradeRecord> queue;
  private final SpscProducer<TradeRecord> producer; // the feeder's
  private long mostQueued; // the aggregator's, read after its end
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("off-heap-aggregator").daemon().factory());
  private final Future<Void> aggregation;

  OffHeapEngine(Options options, CandleSink sink) {
    this.sink = sink;
    this.open = new OpenCandles(options);
    this.queue =
        SpscQueue.of(
            FlyweightType.of(TradeRecord.class),
            QueueOptions.ofCapacity(QUEUE_CAPACITY).withConsumerWaits(AGGREGATOR_WAITS));
    this.producer = queue.producer();
    this.aggregation = thread.submit(this::aggregate);
  }

  @Override
  public void accept(Trade trade) throws InterruptedException {
    try {
      producer.claim().set(trade); // waits while the queue is full
      producer.commit();
    } catch (IllegalStateException e) { // no more claims: the aggregator has failed
      awaitEnd();
      throw e;
    }
  }

  @Override
  public void finish() throws InterruptedException {
    queue.complete();
    awaitEnd();
  }

  @Override
  public void stop() throws InterruptedException {
    open.withhold();
    finish();
  }

  @Override
  public void close() {
    open.withhold();
    queue.complete();
    thread.close();
    queue.close(); // only now: neither side is in its memory any more
    open.close();
  }

  @Override
  public CandleSnapshot newSnapshot(int capacity) {
    return open.newSnapshot(capacity);
  }

  @Override
  public Version version(int symbol, long firstBucket, long lastBucket) {
    return open.version(symbol, firstBucket, lastBucket);
  }

  @Override
  public Optional<Measured> measured() {
    return Optional.of(queue);
  }

  @Override
  public Counts counts() {
    return open.counts();
  }

  @Override
  public OptionalLong mostQueued() {
    return OptionalLong.of(mostQueued);
  }

  @Override
  public Optional<HeapUse> heapUse() {
    return Optional.of(open.heapUse());
  }

  @Override
  public void reportTo(Telemetry telemetry) {
    telemetry.report("queue", queue);
  }

  private void awaitEnd() throws InterruptedException {
    try {
      aggregation.get();
    } catch (ExecutionException e) {
      throw new EngineException(e.getCause());
    }
  }

  private Void aggregate() throws IOException, InterruptedException {
    try {
      open.heapUse().start();
      SpscConsumer<TradeRecord> consumer = queue.consumer();
      int count;
      while ((count = consumer.poll(BATCH)) > 0) { // 0: complete and empty
        mostQueued = Math.max(mostQueued, queue.sizeEstimate());
        for (int i = 0; i < count; i++) {
          open.place(consumer.at(i), sink);
        }
        consumer.release();
        open.heapUse().measure(count);
      }
      open.emitOpen(sink);
      open.heapUse().end();
      return null;
    } finally {
      queue.complete(); // lets the feeder go if this thread fails
    }
  }
}
