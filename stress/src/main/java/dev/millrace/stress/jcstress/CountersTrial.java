package dev.millrace.stress.jcstress;

import dev.millrace.telemetry.Counter;
import dev.millrace.telemetry.Gauge;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.TelemetryReader;
import java.time.Duration;

/** Telemetry with one counter for one trial after another, and a reader. */
final class CountersTrial extends Pool.Item {
  private final Telemetry telemetry;
  final TelemetryReader reader;
  final Counter counter; // or null
  private Gauge gauge;

  /** Makes telemetry whose counter, of so many stripes, is called 1. */
  CountersTrial(int stripes) {
    telemetry =
        Telemetry.inMemory(
            Telemetry.Options.defaults().withCapacity(stripes).withSamplePeriod(Duration.ZERO));
    reader = telemetry.newReader();
    counter = stripes == 1 ? null : telemetry.counter("1", stripes);
    gauge = stripes == 1 ? telemetry.gauge("1") : null;
  }

  /** Puts a gauge in the place of the one that is there, and sets it to the number it is called. */
  void replace(int number) {
    gauge.close();
    gauge = telemetry.gauge(Integer.toString(number));
    gauge.set(number);
  }
}
