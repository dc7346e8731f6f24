package dev.millrace.ohlcv.trace;

import dev.millrace.ohlcv.candle.CandleMaker;
import dev.millrace.ohlcv.candle.CandleSink;
import dev.millrace.ohlcv.candle.EngineWatch;
import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.candle.Rejections;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.IntFunction;

/** Looks on while candles are made, from the first trade to the last candle. */
public interface JobWatch extends EngineWatch, AutoCloseable {
  /** Looks at nothing, and puts itself nowhere in between. */
  JobWatch NONE = new JobWatch() {};

  /**
   * Looks on by telemetry.
   *
   * @param file where, or null for {@link #NONE}
   * @return close it after what it looks at
   * @throws IllegalArgumentException if the file cannot be made, in words of the command line
   */
  static JobWatch of(Path file) {
    try {
      return file == null ? NONE : new JobTelemetry(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "--telemetry must be a file that can be made: --telemetry="
              + file
              + " ("
              + e.getMessage()
              + ")",
          e);
    }
  }

  /**
   * Makes what a thread tells that judges rows.
   *
   * @param thread what to call it
   * @return for that thread alone
   */
  default Rejections newRejections(String thread) {
    return Rejections.NONE;
  }

  /**
   * Makes what a thread tells that takes times.
   *
   * @param thread what to call it
   * @param type which times, one of {@link Latency}'s
   * @return for that thread alone
   */
  default Timing newTiming(String thread, String type) {
    return Timing.NONE;
  }

  /**
   * Takes the time that a sink needs.
   *
   * @param sink where candles go
   * @return a sink in place of it
   */
  default CandleSink timing(CandleSink sink) {
    return sink;
  }

  /**
   * Sees what goes to a sink.
   *
   * @param sink where candles go
   * @param interval how long they are
   * @param symbols tells a symbol's name; empty if it has none
   * @return a sink in place of it
   */
  default CandleSink watching(CandleSink sink, Interval interval, IntFunction<String> symbols) {
    return sink;
  }

  /**
   * Hears that candles are being made.
   *
   * @param maker asked now and then for what it has done
   */
  default void started(CandleMaker maker) {}

  /** Ends. */
  @Override
  default void close() {}
}
