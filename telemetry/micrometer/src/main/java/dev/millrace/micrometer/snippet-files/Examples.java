import dev.millrace.core.Measured;
import dev.millrace.micrometer.MeasuredMetrics;
import dev.millrace.micrometer.TelemetryMetrics;
import dev.millrace.telemetry.Telemetry;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The examples in this package's documentation. The build runs every line of them. */
final class Examples {
  /** Stands in for a queue. */
  private static final class Source implements Measured {
    @Override
    public List<String> counters() {
      return List.of("consumed");
    }

    @Override
    public List<String> gauges() {
      return List.of("size");
    }

    @Override
    public void readMetrics(long[] values) {
      values[0] = 7;
      values[1] = 3;
    }
  }

  void measured() {
    MeterRegistry registry = new SimpleMeterRegistry();
    Measured queue = new Source();
    // @start region="measured"
    MeasuredMetrics metrics = MeasuredMetrics.of("orders", queue);
    metrics.bindTo(registry); // until metrics.close()
    // @end
    assert registry.find("millrace.measured.size").gauge().value() == 3;
    metrics.close();
  }

  void telemetry() throws IOException {
    MeterRegistry registry = new SimpleMeterRegistry();
    Path directory = Files.createTempDirectory("millrace-micrometer");
    Path file = directory.resolve("service.telemetry");
    try (Telemetry telemetry = Telemetry.create(file, Telemetry.Options.defaults())) {
      telemetry.counter("orders").increment();
      // @start region="telemetry"
      TelemetryMetrics metrics = TelemetryMetrics.ofFile("service", file);
      metrics.bindTo(registry); // until metrics.close()
      // @end
      assert registry.find("millrace.telemetry.orders").functionCounter().count() == 1;
      metrics.close();
    }
    Files.delete(file);
    Files.delete(directory);
  }
}
