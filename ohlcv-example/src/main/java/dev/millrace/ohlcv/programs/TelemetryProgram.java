package dev.millrace.ohlcv.programs;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.telemetry.Counter;
import dev.millrace.telemetry.Gauge;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceReader;
import dev.millrace.telemetry.TraceWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Counts trades and logs the large ones in a file of telemetry, then reads the file. */
public final class TelemetryProgram {
  private static final FlyweightType<Large> LARGE = FlyweightType.of(Large.class);

  /** A record of the trace log. */
  interface Large {
    double price();

    Large price(double value);

    double volume();

    Large volume(double value);
  }

  /** Prints what is in the file. */
  public static void main(String[] arguments) throws IOException {
    Path file = Files.createTempDirectory("millrace").resolve("trades.telemetry");
    write(file);
    try (TelemetryReader reader = TelemetryReader.open(file); // also while it is written
        TraceReader trace = reader.newTraceReader()) { // and in any process
      System.out.println("trades: " + reader.counters().get("trades"));
      System.out.println("last price in cents: " + reader.gauges().get("cents"));
      Large large = trace.newView(LARGE);
      while (trace.tryPoll()) {
        System.out.println(trace.type() + ": " + large.volume() + " coins at " + large.price());
      }
    }
    Files.delete(file);
    Files.delete(file.getParent());
  }

  private static void write(Path file) throws IOException {
    Telemetry.Options options = Telemetry.Options.defaults().withTrace(1_024, 64);
    try (Telemetry telemetry = Telemetry.create(file, options);
        TraceWriter<Large> log = telemetry.newTraceWriter("feed", "large", LARGE)) {
      Counter trades = telemetry.soleWriterCounter("trades");
      Gauge cents = telemetry.gauge("cents");
      for (String[] row : readRows()) {
        double price = Double.parseDouble(row[1]);
        double volume = Double.parseDouble(row[2]);
        trades.increment();
        cents.set(Math.round(price * 100));
        Large record = volume < 20 ? null : log.tryClaim();
        if (record != null) { // also null if the log refuses the record, which it counts
          record.price(price).volume(volume);
          log.commit();
        }
      }
    }
  }

  private static List<String[]> readRows() throws IOException {
    try (InputStream csv = TelemetryProgram.class.getResourceAsStream("trades.csv")) {
      String text = new String(csv.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().skip(2).map(row -> row.split(",", -1)).toList();
    }
  }
}
