package dev.millrace.stress.jcstress;

import dev.millrace.telemetry.Counter;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.TelemetryReader;
import java.time.Duration;

/** Telemetry with one counter for one trial after another, and a reader. */
final class CountersTrial extends Pool.Item {
  private final Telemetry telemetry;
  final TelemetryReader reader;
  Counter counter;

  /** Makes telemetry whose counter, of so many stripes, is called 1. */
  CountersTrial(int stripes) {
    telemetry =
        Telemetry.inMemory(
            Telemetry.Options.defaults().withCapacity(stripes).withSamplePeriod(Duration.ZERO));
    reader = telemetry.newReader();
    counter = stripes == 1 ? telemetry.gauge("1") : telemetry.counter("1", stripes);
  }

  /** Puts a gauge in the place of the one that is there, and sets it to the number it is called. */
  void replace(int number) {
    counter.close();
    counter = telemetry.gauge(Integer.toString(number));
    counter.set(number);
  }
}
