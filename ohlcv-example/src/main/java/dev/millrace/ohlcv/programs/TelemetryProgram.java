package dev.millrace.ohlcv.programs;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.telemetry.Counter;
import dev.millrace.telemetry.Gauge;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceReader;
import dev.millrace.telemetry.TraceWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** A program that tells what it does in a file, and another that reads it, here one after both. */
public final class TelemetryProgram {
  private static final FlyweightType<Large> LARGE = FlyweightType.of(Large.class);

  private TelemetryProgram() {}

  /** A record of the trace log: a trade of 500 coins or more. */
  interface Large {
    double price();

    Large price(double value);

    double volume();

    Large volume(double value);
  }

  /** Prints what the file tells. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Arguments.require(TelemetryProgram.class, arguments);
    Path file = Files.createTempDirectory("millrace").resolve("trades.telemetry");
    work(file);
    try (TelemetryReader reader = TelemetryReader.open(file); // in any process, meanwhile too
        TraceReader trace = reader.newTraceReader()) {
      System.out.println("trades " + reader.counters().get("trades"));
      System.out.println("last price in cents " + reader.gauges().get("cents"));
      Large large = trace.newView(LARGE);
      while (trace.tryPoll()) {
        System.out.printf(
            Locale.ROOT, "%s: %.1f at %.2f%n", trace.type(), large.volume(), large.price());
      }
    }
    Files.delete(file);
    Files.delete(file.getParent());
  }

  private static void work(Path file) throws IOException, InterruptedException {
    Telemetry.Options options = Telemetry.Options.defaults().withTrace(1_024, 64);
    try (Telemetry telemetry = Telemetry.create(file, options);
        TraceWriter<Large> log = telemetry.newTraceWriter("feed", "large", LARGE)) {
      Counter trades = telemetry.soleWriterCounter("trades");
      Gauge cents = telemetry.gauge("cents");
      Trades.read(
          (second, price, volume) -> {
            trades.increment();
            cents.set(Math.round(price * 100));
            Large record = volume < 500 ? null : log.tryClaim();
            if (record != null) { // null also where the log has refused, and counted it
              record.price(price).volume(volume);
              log.commit();
            }
          });
    }
  }
}
