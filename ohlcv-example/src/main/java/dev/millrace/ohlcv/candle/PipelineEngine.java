package dev.millrace.ohlcv.candle;

import dev.millrace.core.Measured;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.Batch;
import dev.millrace.disruptor.BatchHandler;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.telemetry.Telemetry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Candles by stages on one ring of events, each stage in threads of its own.
 *
 * <pre>
 *   feeder --> ObjectRing --> aggregate (shared by key) --> publish --> sink
 *                                 |
 *              readers <--copy, then validate-- CandleWindow
 * </pre>
 *
 * <p>What leaves for a trade goes on in the trade's own event. So candles are published in the
 * order of the ring, also where several workers aggregate, each the trades of its own symbols: no
 * other queue, and nothing to merge.
 *
 * <p><b>Failure.</b> If a stage fails, all end; nothing is emitted after it.
 *
 * <p><b>Cost.</b> The native memory of {@link CandleWindow}; some hundred bytes of heap per event,
 * and a {@link Candle} for each that leaves, until it is published.
 */
final class PipelineEngine implements CandleEngine {
  private static final int LATENCY_EVERY = 64; // events
  private static final Duration FOREVER = Duration.ofNanos(WaitStrategy.FOREVER);

  private final OpenCandles open;
  private final ObjectRing<TradeEvent> ring;
  private final Pipeline<TradeEvent> pipeline;

  PipelineEngine(Options options, CandleSink sink) {
    this.open = new OpenCandles(options);
    this.ring = ObjectRing.of(RingOptions.singleProducer(PIPELINE_CAPACITY), TradeEvent::new);
    this.pipeline =
        Pipeline.on(ring)
            .named("candles")
            .latencies(LATENCY_EVERY)
            .threads(Thread.ofPlatform().daemon().factory())
            // Told before any stage ends because of it: what is open then is not emitted.
            .onFailure(stage -> (failure, sequence) -> open.withhold())
            .stage("aggregate")
            .sharedByKey(options.shards(), event -> event.trade.symbol(), () -> this::aggregate)
            .stage("publish")
            .after("aggregate")
            .handledBy(new Publisher(sink))
            .build()
            .start();
  }

  @Override
  public void accept(Trade trade) throws InterruptedException {
    try {
      ring.publish((event, given) -> event.trade = TradeRow.of(given), trade);
    } catch (IllegalStateException e) { // no more claims: a stage has failed
      check();
      throw e;
    }
  }

  @Override
  public void finish() throws InterruptedException {
    try {
      pipeline.drain(FOREVER);
    } catch (IllegalStateException e) {
      check();
      throw e;
    }
  }

  @Override
  public void stop() throws InterruptedException {
    open.withhold();
    finish();
  }

  @Override
  public void close() {
    open.withhold();
    pipeline.close();
    open.close(); // only now: the stages have ended
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
    return Optional.of(pipeline);
  }

  @Override
  public Counts counts() {
    return open.counts();
  }

  @Override
  public void reportTo(Telemetry telemetry) {
    telemetry.report("candles", pipeline);
  }

  private void check() {
    Throwable failure = pipeline.failure();
    if (failure != null) {
      throw new EngineException(failure);
    }
  }

  private void aggregate(Batch<TradeEvent> batch) throws IOException {
    while (batch.next()) {
      open.place(batch.event().trade, batch.event());
    }
  }

  /** A trade, and what left for it. Made once for each slot; belongs to the stage at work on it. */
  private static final class TradeEvent implements CandleSink {
    private TradeRow trade;
    private List<Candle> left = List.of();
    private Refusal refusal;

    @Override
    public void candle(Candle candle) {
      if (left.isEmpty()) {
        left = new ArrayList<>(1);
      }
      left.add(candle);
    }

    @Override
    public void refused(Trade itself, Refusal why) {
      refusal = why;
    }

    void giveTo(CandleSink sink) throws IOException {
      for (Candle candle : left) {
        sink.candle(candle);
      }
      if (refusal != null) {
        sink.refused(trade, refusal);
      }
      left = List.of(); // a list that has grown is not kept
      refusal = null;
    }
  }

  /** Gives the sink what has left, and in the end what is open. */
  private final class Publisher implements BatchHandler<TradeEvent> {
    private final CandleSink sink;

    Publisher(CandleSink sink) {
      this.sink = sink;
    }

    @Override
    public void onBatch(Batch<TradeEvent> batch) throws IOException {
      while (batch.next()) {
        batch.event().giveTo(sink);
      }
    }

    @Override
    public void onEnd() throws IOException {
      open.emitOpen(sink);
    }
  }
}
