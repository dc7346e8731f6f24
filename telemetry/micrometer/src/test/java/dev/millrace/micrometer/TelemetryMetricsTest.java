package dev.millrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.telemetry.Counter;
import dev.millrace.telemetry.Gauge;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.Telemetry.Options;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.testkit.OtherJvm;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a counter of another process that is not published, or is published after it was closed, a
 * binder that stays with the file of a process that was restarted, and meters that vanish because
 * only the registry knows them.
 */
@Timeout(120)
class TelemetryMetricsTest {
  private static final Options SMALL = Options.defaults().withCapacity(8);

  @TempDir private Path folder;

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  /** Counts to 7 and waits to be killed. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws Exception {
      Telemetry telemetry = Telemetry.create(Path.of(args[0]), SMALL);
      telemetry.counter("orders").add(7);
      telemetry.gauge("heapBytes").set(4096);
      System.out.println("ready");
      Thread.currentThread().join();
    }
  }

  private double gauge(String name) {
    return registry.get("millrace.telemetry." + name).gauge().value();
  }

  private double counter(String name) {
    return registry.get("millrace.telemetry." + name).functionCounter().count();
  }

  private boolean has(String name) {
    return registry.find("millrace.telemetry." + name).meter() != null;
  }

  @Test
  void scrape_ofAnotherProcess_hasItsValuesUntilAndAfterItIsKilled() throws Exception {
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    Path file = folder.resolve("service.telemetry");
    Process process = OtherJvm.of(Program.class, file).start();
    try (TelemetryMetrics metrics = TelemetryMetrics.ofFile("service", file)) {
      assertThat(process.inputReader().readLine()).isEqualTo("ready");
      metrics.bindTo(prometheus);
      assertThat(prometheus.scrape().lines())
          .contains(
              "# TYPE millrace_telemetry_orders_total counter",
              "millrace_telemetry_orders_total{name=\"service\"} 7.0",
              "millrace_telemetry_heap_bytes{name=\"service\"} 4096.0",
              "millrace_telemetry_process_running{name=\"service\"} 1.0");

      process.destroyForcibly().waitFor();
      assertThat(prometheus.scrape().lines())
          .contains(
              "millrace_telemetry_orders_total{name=\"service\"} 7.0",
              "millrace_telemetry_process_running{name=\"service\"} 0.0");
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertThat(prometheus.scrape()).isBlank();
  }

  @Test
  void labels_thatComeAndGo_areFollowed() {
    try (Telemetry telemetry = Telemetry.inMemory(SMALL);
        TelemetryReader reader = telemetry.newReader();
        TelemetryMetrics metrics = TelemetryMetrics.of("own", reader)) {
      metrics.bindTo(registry);
      assertThat(gauge("process.running")).isEqualTo(1);
      assertThat(has("orders")).isFalse();

      Counter orders = telemetry.counter("orders");
      orders.add(3);
      assertThat(gauge("process.running")).isEqualTo(1);
      assertThat(counter("orders")).isEqualTo(3);

      orders.close();
      assertThat(gauge("process.running")).isEqualTo(1);
      assertThat(has("orders")).isFalse();

      telemetry.gauge("orders").set(5); // under the same label, of another kind
      telemetry.gauge("feed.latencyMaxNanos").set(2_000_000_000);
      assertThat(gauge("process.running")).isEqualTo(1);
      assertThat(gauge("orders")).isEqualTo(5);
      assertThat(registry.get("millrace.telemetry.feed.latency.max").timeGauge().value())
          .isEqualTo(2);
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  /**
   * Registries compute the rate of a counter from its last value, so a new one needs a new meter.
   */
  @Test
  void counter_thatIsNewUnderItsLabel_hasANewMeter() {
    try (Telemetry telemetry = Telemetry.inMemory(SMALL);
        TelemetryMetrics metrics = TelemetryMetrics.of("own", telemetry.newReader())) {
      Counter first = telemetry.counter("orders");
      first.add(3);
      metrics.bindTo(registry);
      assertThat(counter("orders")).isEqualTo(3);
      var meter = registry.get("millrace.telemetry.orders").functionCounter();
      first.close();
      telemetry.counter("orders").add(2);
      assertThat(gauge("process.running")).isEqualTo(1);
      assertThat(gauge("process.running")).isEqualTo(1);
      assertThat(registry.get("millrace.telemetry.orders").functionCounter()).isNotSameAs(meter);
      assertThat(counter("orders")).isEqualTo(2);
      assertThat(meter.count()).as("the last value of the old one").isEqualTo(3);
    }
  }

  @Test
  void file_thatIsMadeAndReplacedLater_isFollowed() throws Exception {
    Path file = folder.resolve("service.telemetry");
    try (TelemetryMetrics metrics = TelemetryMetrics.ofFile("service", file)) {
      metrics.bindTo(registry);
      assertThat(gauge("process.running")).isZero();

      Files.writeString(file, "no telemetry");
      assertThat(gauge("process.running")).isZero();
      Files.delete(file);

      try (Telemetry first = Telemetry.create(file, SMALL)) {
        first.counter("first").add(1);
        first.counter("both").add(1);
        assertThat(gauge("process.running")).isEqualTo(1);
        assertThat(counter("first")).isEqualTo(1);
        assertThat(counter("both")).isEqualTo(1);
        var both = registry.get("millrace.telemetry.both").meter();
        try (Telemetry second = Telemetry.create(file, SMALL)) {
          second.counter("second").add(2);
          second.counter("both").add(2);
          assertThat(gauge("process.running")).isEqualTo(1);
          assertThat(has("first")).isFalse();
          assertThat(counter("second")).isEqualTo(2);
          assertThat(counter("both")).isEqualTo(2);
          assertThat(registry.get("millrace.telemetry.both").meter()).isNotSameAs(both);
        }
      }
      Files.delete(file);
      assertThat(counter("second")).as("of the file that is still open").isEqualTo(2);
    }
  }

  @Test
  @SuppressWarnings("try") // closed early, on purpose
  void telemetry_closed_leavesTheLastValues() {
    try (Telemetry telemetry = Telemetry.inMemory(SMALL);
        TelemetryMetrics metrics = TelemetryMetrics.of("own", telemetry.newReader())) {
      telemetry.counter("orders").add(3);
      metrics.bindTo(registry);
      assertThat(counter("orders")).isEqualTo(3);
      telemetry.close();
      assertThat(counter("orders")).isEqualTo(3);
      assertThat(gauge("process.running")).isZero();
    }
  }

  @Test
  void labels_ofOneNameInMicrometer_areOneMeter() {
    try (Telemetry telemetry = Telemetry.inMemory(SMALL);
        TelemetryMetrics metrics = TelemetryMetrics.of("own", telemetry.newReader())) {
      Counter first = telemetry.counter("highWater");
      first.add(1);
      telemetry.counter("high.water").add(2);
      Gauge reserved = telemetry.gauge("process.running");
      reserved.set(9);
      metrics.bindTo(registry);
      assertThat(registry.getMeters()).hasSize(2);
      assertThat(counter("high.water")).isEqualTo(1);
      assertThat(gauge("process.running")).isEqualTo(1);

      first.close();
      reserved.close();
      assertThat(gauge("process.running")).isEqualTo(1);
      assertThat(gauge("process.running")).as("is still there").isEqualTo(1);
      assertThat(counter("high.water")).as("of the other label").isEqualTo(2);
    }
  }

  @Test
  void meters_keepTheirBinder_butAreReadOncePerPass() {
    try (Telemetry telemetry = Telemetry.inMemory(SMALL)) {
      Counter orders = telemetry.counter("orders");
      Counter fills = telemetry.counter("fills");
      registry.config().meterFilter(MeterFilter.denyNameStartsWith("millrace.telemetry.process"));
      TelemetryMetrics.of("own", telemetry.newReader()).bindTo(registry);
      var garbage = new java.lang.ref.WeakReference<>(new Object());
      TestCall.await(
          () -> {
            System.gc();
            return garbage.get() == null;
          });
      orders.add(1);
      fills.add(1);
      assertThat(counter("orders")).as("of the first reading").isZero();
      assertThat(counter("fills")).as("of the first reading").isZero();
      assertThat(counter("orders")).isEqualTo(1);
      fills.add(1);
      assertThat(counter("fills")).as("of the same reading").isEqualTo(1);
      assertThat(counter("fills")).isEqualTo(2);
    }
  }

  @Test
  void bindTo_whenTheNameIsTakenOrItIsClosed_isRefused() {
    try (Telemetry telemetry = Telemetry.inMemory(SMALL)) {
      TelemetryMetrics metrics = TelemetryMetrics.of("own", telemetry.newReader());
      TelemetryMetrics others = TelemetryMetrics.of("own", telemetry.newReader());
      metrics.bindTo(registry);
      Throws.illegalArgument(
          "name is taken: the registry has a meter millrace.telemetry.process.running already, "
              + "TelemetryMetrics[name=own]",
          () -> others.bindTo(registry));
      metrics.close();
      metrics.close();
      Throws.illegalState(
          "telemetry metrics are closed: TelemetryMetrics[name=own]",
          () -> metrics.bindTo(registry));
      others.bindTo(registry);
      assertThat(registry.getMeters()).hasSize(1);
    }
  }

  @Test
  void of_null_isRefused() {
    Throws.nullArgument("name", () -> TelemetryMetrics.ofFile(null, folder));
    Throws.nullArgument("file", () -> TelemetryMetrics.ofFile("null", null));
    Throws.nullArgument("reader", () -> TelemetryMetrics.of("null", null));
    Throws.nullArgument("registry", () -> TelemetryMetrics.ofFile("null", folder).bindTo(null));
  }
}
