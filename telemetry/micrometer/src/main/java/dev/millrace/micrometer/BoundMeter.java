package dev.millrace.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * A meter that was added to a registry.
 *
 * @param registry the registry
 * @param meter the meter
 */
record BoundMeter(MeterRegistry registry, Meter meter) {
  void remove() {
    Meter _ = registry.remove(meter);
  }
}
