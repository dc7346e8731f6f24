package dev.millrace.ohlcv.candle;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.Batch;
import dev.millrace.disruptor.BatchHandler;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.PipelineBuilder;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.telemetry.Telemetry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Candles by stages on one ring of {@link TradeEvent}s, each stage in threads of its own: first
 * those that make trades, if there are any, then {@code aggregate}, then {@code publish}.
 *
 * <pre>
 *   feeder --> ObjectRing --> (parse x2 --> validate) --> aggregate --> publish --> sink
 *                                                             |
 *              readers <--copy, then validate-- CandleWindow
 * </pre>
 *
 * <p>What a trade makes leave goes on in the trade's own event. So candles are published in the
 * order of the ring, also where several workers aggregate, each the trades of its own symbols: no
 * other queue, and nothing to merge.
 *
 * <p><b>Roles.</b> One thread feeds, finishes and closes; any number may call the rest, while it is
 * not closed.
 *
 * <p><b>Failure.</b> If a stage fails, all end; {@code feed}, {@code finish} and {@code stop} throw
 * an {@link EngineException} with what the stage has thrown. Nothing is emitted after it.
 *
 * <p><b>Cost.</b> The native memory of {@link CandleWindow}; some hundred bytes of heap per event,
 * and a {@link Candle} for each that leaves, until it is published. Each of those had a trade, so
 * at most as many are under way as were open, and one for each event.
 *
 * @param <R> what trades are made of
 */
public sealed class CandleStages<R> implements CandleMaker permits PipelineEngine {
  private static final int RING_CAPACITY = 8_192;
  private static final String AGGREGATE = "aggregate";
  private static final String PUBLISH = "publish";
  private static final String PROCESSED = ".processed";
  private static final double THOUSAND = 1_000;
  private static final Duration FOREVER = Duration.ofNanos(WaitStrategy.FOREVER);

  private final Emitter emitter;
  private final ObjectRing<TradeEvent<R>> ring;
  private final EngineWatch watch; // the feeder's
  private long fed; // the feeder's
  private final Pipeline<TradeEvent<R>> pipeline;

  /**
   * The stages that make trades.
   *
   * @param <R> what of
   */
  @FunctionalInterface
  public interface Front<R> {
    /**
     * Adds the stages.
     *
     * @return the names of those that aggregating comes after; none if the feeder makes the trades
     */
    String[] addTo(PipelineBuilder<TradeEvent<R>> builder);
  }

  /**
   * Makes the stages, and starts them.
   *
   * @param options the shards are the workers that aggregate
   * @param sink called by the last stage's thread
   * @param source makes what an event's trades are made of
   * @param front the stages that make them
   */
  public CandleStages(
      CandleEngine.Options options, CandleSink sink, Supplier<R> source, Front<R> front) {
    this.emitter = new Emitter(options, sink);
    this.watch = options.watch();
    this.ring =
        ObjectRing.of(
            RingOptions.singleProducer(RING_CAPACITY), () -> new TradeEvent<>(source.get()));
    PipelineBuilder<TradeEvent<R>> builder =
        Pipeline.on(ring)
            .named("candles")
            .threads(Thread.ofPlatform().daemon().factory())
            // Told before any stage ends because of it: what is open then is not emitted.
            .onFailure(stage -> (failure, sequence) -> emitter.abandon());
    String[] before = front.addTo(builder);
    aggregate(builder.stage(AGGREGATE).after(before));
    this.pipeline =
        builder.stage(PUBLISH).after(AGGREGATE).handledBy(new Publisher()).build().start();
  }

  private void aggregate(PipelineBuilder<TradeEvent<R>> stage) {
    Iterator<OpenCandles> each = emitter.open().iterator();
    int workers = emitter.open().size();
    if (workers == 1) {
      stage.handledBy(new Placer<R>(each.next()));
    } else {
      stage.sharedByKey(workers, TradeEvent::key, () -> new Placer<R>(each.next()));
    }
  }

  /**
   * Publishes an event to the first stage, and waits while that is too far behind.
   *
   * @param <A> what is written from
   * @param writer writes the argument into the event
   * @throws InterruptedException if the waiting thread was interrupted; nothing is published
   * @throws EngineException if a stage has failed
   */
  public <A> void feed(BiConsumer<TradeEvent<R>, ? super A> writer, A argument)
      throws InterruptedException {
    watch.feeding(++fed);
    try {
      ring.publish(writer, argument);
    } catch (IllegalStateException e) { // no more claims: a stage has failed
      check();
      throw e;
    }
  }

  /** Says, from any stage before {@code publish}, that what is open in the end is not emitted. */
  public void withholdOpen() {
    emitter.withholdOpen();
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
    withholdOpen();
    finish();
  }

  @Override
  public void close() {
    emitter.abandon();
    pipeline.close();
    emitter.close(); // only now: the stages have ended
  }

  @Override
  public CandleSnapshot newSnapshot(int capacity) {
    return emitter.newSnapshot(capacity);
  }

  @Override
  public Optional<Trade> lastTrade() {
    return emitter.lastTrade();
  }

  @Override
  public CandleEngine.Counts counts() {
    return emitter.counts();
  }

  @Override
  public List<Long> rowsByShard() {
    return emitter.rows();
  }

  @Override
  public List<StageCounts> stages() {
    Map<String, Long> metrics = pipeline.metrics();
    List<StageCounts> stages = new ArrayList<>();
    for (String name : pipeline.counters()) {
      if (name.endsWith(PROCESSED)) {
        String stage = name.substring(0, name.length() - PROCESSED.length());
        long meanBatch = metrics.get(stage + ".meanBatchThousandths");
        stages.add(new StageCounts(stage, metrics.get(name), meanBatch / THOUSAND));
      }
    }
    return stages;
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

  /** Places trades in candles; a worker's own. */
  private static final class Placer<R> implements BatchHandler<TradeEvent<R>> {
    private final OpenCandles open;

    Placer(OpenCandles open) {
      this.open = open;
    }

    @Override
    public void onBatch(Batch<TradeEvent<R>> batch) throws IOException {
      while (batch.next()) {
        TradeEvent<R> event = batch.event();
        long before = batch.sequence() * TradeEvent.MAX_TRADES;
        for (int i = 0; i < event.count(); i++) {
          open.place(event.trade(i), before + i + 1, event);
        }
        open.watch().placed(batch.sequence() + 1); // the feeder counts from 1
      }
    }
  }

  /** Gives the sink what has left, and in the end what is open. */
  private final class Publisher implements BatchHandler<TradeEvent<R>> {
    @Override
    public void onBatch(Batch<TradeEvent<R>> batch) throws IOException {
      while (!emitter.isAbandoned() && batch.next()) {
        batch.event().giveTo(emitter);
      }
    }

    @Override
    public void onEnd() throws IOException {
      emitter.emitOpen();
    }
  }
}
