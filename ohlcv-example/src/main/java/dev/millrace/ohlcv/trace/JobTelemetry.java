package dev.millrace.ohlcv.trace;

import dev.millrace.ohlcv.candle.CandleMaker;
import dev.millrace.ohlcv.candle.CandleSink;
import dev.millrace.ohlcv.candle.CandleView;
import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.candle.Rejections;
import dev.millrace.ohlcv.candle.Trade;
import dev.millrace.telemetry.Counter;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.TraceWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.IntFunction;

/**
 * Tells of a job by telemetry in a file: {@code trades} and {@code late} are asked of the engine,
 * {@code candles} and {@code rejected} are counted, queues or stages report themselves, and the
 * trace log has {@link RejectedTrade}s, {@link CandleClosed}s and {@link Latency}s.
 *
 * <p><b>Roles.</b> Each thread writes to the log by writers of its own, one for each type.
 */
final class JobTelemetry implements JobWatch {
  private static final int TRACE_RECORDS = 65_536;
  private static final int RECORD_BYTES = 200;
  private static final Telemetry.Options OPTIONS =
      Telemetry.Options.defaults()
          .withTrace(TRACE_RECORDS, RECORD_BYTES)
          .withSamplePeriod(Duration.ofMillis(100));

  /** Of each thread: latencies must not drive the other records out. */
  private static final int TIMINGS_PER_SECOND = 200;

  private static final String PUBLISH = "publish";
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Telemetry telemetry;
  private final Counter candles;
  private final Counter rejected;
  private final LatencyProbe probe = new LatencyProbe();
  private int placings; // made so far, by the thread that starts the engine

  JobTelemetry(Path file) throws IOException {
    this.telemetry = Telemetry.create(file, OPTIONS);
    this.candles = telemetry.soleWriterCounter("candles");
    this.rejected = telemetry.counter("rejected");
  }

  @Override
  public void feeding(long number) {
    probe.feeding(number);
  }

  @Override
  public Placing newPlacing() {
    return new PlacingThread("aggregate-" + placings++);
  }

  @Override
  public Rejections newRejections(String thread) {
    return new RejectingThread(thread);
  }

  @Override
  public Timing newTiming(String thread, String type) {
    TraceWriter<Latency> writer =
        telemetry.newTraceWriter(thread, type, Latency.TYPE, 1, TIMINGS_PER_SECOND);
    return (number, nanos) -> {
      Latency record = writer.tryClaim();
      if (record != null) {
        record.number(number).nanos(nanos);
        writer.commit();
      }
    };
  }

  @Override
  public CandleSink timing(CandleSink sink) {
    return new TimedSink(sink, newTiming(PUBLISH, Latency.WRITTEN));
  }

  @Override
  public CandleSink watching(CandleSink sink, Interval interval, IntFunction<String> symbols) {
    return new WatchedSink(sink, interval, symbols);
  }

  @Override
  public void started(CandleMaker maker) {
    telemetry.report("trades", () -> maker.counts().trades());
    telemetry.report("late", () -> maker.counts().late());
    maker.reportTo(telemetry);
  }

  @Override
  public void close() {
    telemetry.close();
  }

  /** A thread that finds trades that will be in no candle. */
  private sealed class RejectingThread implements Rejections {
    private final TraceWriter<RejectedTrade> writer;

    RejectingThread(String name) {
      this.writer = telemetry.newTraceWriter(name, RejectedTrade.NAME, RejectedTrade.TYPE);
    }

    @Override
    public void rejected(Trade trade, String reason) {
      rejected.increment();
      RejectedTrade record = writer.tryClaim();
      if (record != null) {
        record.set(trade);
        writer.text(reason);
        writer.commit();
      }
    }
  }

  /** A thread that places trades. */
  private final class PlacingThread extends RejectingThread implements Placing {
    private final Timing timing;

    PlacingThread(String name) {
      super(name);
      this.timing = newTiming(name, Latency.PLACED);
    }

    @Override
    public void placed(long number) {
      long nanos = probe.placed(number);
      if (nanos != LatencyProbe.NONE) {
        timing.took(number, nanos);
      }
    }
  }

  /** The thread that emits candles, and how long each keeps it. */
  private static final class TimedSink implements CandleSink {
    private final CandleSink sink;
    private final Timing timing;
    private long count;

    TimedSink(CandleSink sink, Timing timing) {
      this.sink = sink;
      this.timing = timing;
    }

    @Override
    public void candle(CandleView candle) throws IOException {
      long began = System.nanoTime();
      sink.candle(candle);
      timing.took(++count, System.nanoTime() - began);
    }

    @Override
    public void refused(long line, String field) {
      sink.refused(line, field); // the thread that placed it has told
    }
  }

  /** The thread that emits candles, and which. */
  private final class WatchedSink implements CandleSink {
    private final CandleSink sink;
    private final long intervalMillis;
    private final IntFunction<String> symbols;
    private final TraceWriter<CandleClosed> writer;

    WatchedSink(CandleSink sink, Interval interval, IntFunction<String> symbols) {
      this.sink = sink;
      this.intervalMillis = interval.nanos() / NANOS_PER_MILLI;
      this.symbols = symbols;
      this.writer = telemetry.newTraceWriter(PUBLISH, CandleClosed.NAME, CandleClosed.TYPE);
    }

    @Override
    public void candle(CandleView candle) throws IOException {
      sink.candle(candle);
      candles.increment();
      CandleClosed record = writer.tryClaim();
      if (record != null) {
        record.set(candle, intervalMillis);
        writer.text(symbols.apply(candle.symbol()));
        writer.commit();
      }
    }

    @Override
    public void refused(long line, String field) {
      sink.refused(line, field); // the thread that placed it has told
    }
  }
}
