package dev.millrace.ohlcv.trace;

import dev.millrace.ohlcv.candle.Candle;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleSink;
import dev.millrace.ohlcv.candle.Decimals;
import dev.millrace.ohlcv.candle.Refusal;
import dev.millrace.ohlcv.candle.Trade;
import dev.millrace.ohlcv.input.Feeds;
import dev.millrace.telemetry.Counter;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.TraceWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.IntFunction;
import java.util.function.ObjLongConsumer;

/**
 * Reports a job by telemetry in a file: {@code trades} and {@code late} are read from the engine,
 * {@code candles} and {@code rejected} are counted, queues or stages report themselves, and the
 * trace log has {@link RejectedTrade}s and {@link CandleClosed}s.
 *
 * <p><b>Roles.</b> Each thread writes to the log by writers of its own, one for each type.
 */
public final class JobTelemetry implements AutoCloseable {
  private static final int TRACE_RECORDS = 65_536;
  private static final int RECORD_BYTES = 200;
  private static final Telemetry.Options OPTIONS =
      Telemetry.Options.defaults()
          .withTrace(TRACE_RECORDS, RECORD_BYTES)
          .withSamplePeriod(Duration.ofMillis(100));

  private final Telemetry telemetry;
  private final Counter candles;
  private final Counter rejected;

  private JobTelemetry(Path file) throws IOException {
    this.telemetry = Telemetry.create(file, OPTIONS);
    this.candles = telemetry.soleWriterCounter("candles");
    this.rejected = telemetry.counter("rejected");
  }

  /**
   * Makes the file.
   *
   * @param file where, or null
   * @return null if there is no file; close it after what it reports
   * @throws IllegalArgumentException if the file cannot be made, in words of the command line
   */
  public static JobTelemetry of(Path file) {
    try {
      return file == null ? null : new JobTelemetry(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "--telemetry must be a file that can be made: --telemetry=%s (%s)"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  /** Lets an engine report itself. */
  public void report(CandleEngine engine) {
    telemetry.report("trades", () -> engine.counts().trades());
    telemetry.report("late", () -> engine.counts().late());
    engine.reportTo(telemetry);
  }

  /** Makes what the thread that reads an input calls for each bad row. */
  public ObjLongConsumer<String> newBadRows(int input) {
    TraceWriter<RejectedTrade> writer = newRejectedWriter("read-" + input);
    return (why, line) -> rejected(writer, line, 0, 0, why);
  }

  /**
   * Records what goes to a sink.
   *
   * @param symbols finds a symbol's name; empty if it has none
   * @return a sink in place of it
   */
  public CandleSink watch(CandleSink sink, IntFunction<String> symbols) {
    TraceWriter<RejectedTrade> refusals = newRejectedWriter("publish");
    TraceWriter<CandleClosed> closings =
        telemetry.newTraceWriter("publish", CandleClosed.NAME, CandleClosed.TYPE);
    return new CandleSink() {
      @Override
      public void candle(Candle candle) throws IOException {
        sink.candle(candle);
        candles.increment();
        CandleClosed record = closings.tryClaim();
        if (record != null) {
          record.set(candle);
          closings.text(symbols.apply(candle.symbol()));
          closings.commit();
        }
      }

      @Override
      public void refused(Trade trade, Refusal why) throws IOException {
        rejected(
            refusals,
            Feeds.lineInFile(trade.line()),
            Decimals.toBigDecimal(trade.price(), trade.priceScale()).doubleValue(),
            Decimals.toBigDecimal(trade.volume(), trade.volumeScale()).doubleValue(),
            why.toString());
        sink.refused(trade, why);
      }
    };
  }

  @Override
  public void close() {
    telemetry.close();
  }

  private TraceWriter<RejectedTrade> newRejectedWriter(String thread) {
    return telemetry.newTraceWriter(thread, RejectedTrade.NAME, RejectedTrade.TYPE);
  }

  private void rejected(
      TraceWriter<RejectedTrade> writer, long line, double price, double volume, String why) {
    rejected.increment();
    RejectedTrade record = writer.tryClaim();
    if (record != null) {
      record.line(line).price(price).volume(volume);
      writer.text(why);
      writer.commit();
    }
  }
}
