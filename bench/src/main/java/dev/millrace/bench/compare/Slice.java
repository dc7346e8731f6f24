package dev.millrace.bench.compare;

import dev.millrace.bench.compare.Sample.Placement;

/**
 * A part of the time that a JVM measures. Cores move while a JVM runs, so the distance is probed
 * between any two of them.
 *
 * @param probeBefore the cores' round trip before, in nanoseconds
 * @param probeAfter the same afterwards
 * @param measured what was measured
 */
record Slice(double probeBefore, double probeAfter, Measured measured) {
  Placement placement() {
    return Placement.of(probeBefore, probeAfter);
  }
}
