package dev.millrace.bench.compare;

import dev.millrace.bench.harness.Latencies;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * What a JVM has measured; of the rest it says 0.
 *
 * @param perSecond records received in a second; at a fixed rate, those sent
 * @param failedSends attempts in vain per record
 * @param failedReceives attempts in vain per record
 * @param bytesPerRecord heap allocated per record
 * @param collections how often the collector ran, at a fixed rate
 * @param mean the average of the times, in nanoseconds
 * @param p50 their median
 * @param p99 the 99th percentile
 * @param p999 the 99.9th
 * @param times all of them, as {@link Latencies} encodes them, or null
 * @param cpuNanos processor time per record of the threads, if that was counted
 * @param pausedMillis how long the collector stopped all threads in a second, if that was counted
 * @param bytesPerOffer heap that an offer allocates beside its record, or null if nobody asked
 */
record Measured(
    double perSecond,
    double failedSends,
    double failedReceives,
    double bytesPerRecord,
    long collections,
    double mean,
    double p50,
    double p99,
    double p999,
    String times,
    double cpuNanos,
    double pausedMillis,
    Double bytesPerOffer) {
  /** Of a JVM that has not come so far. */
  static final Measured NOTHING = ofTraffic(0, 0, 0, 0, 0, 0);

  static Measured ofTraffic(
      double perSecond,
      double sends,
      double receives,
      double bytes,
      double cpuNanos,
      double pausedMillis) {
    Histogram none = Latencies.newHistogram();
    return of(perSecond, sends, receives, bytes, none, 0, cpuNanos, pausedMillis, null);
  }

  static Measured ofTimes(Histogram nanos) {
    return NOTHING.with(nanos, 0);
  }

  /** The same with the times of records, and how often the collector ran meanwhile. */
  Measured with(Histogram nanos, long count) {
    return of(
        perSecond,
        failedSends,
        failedReceives,
        bytesPerRecord,
        nanos,
        count,
        cpuNanos,
        pausedMillis,
        null);
  }

  private static Measured of(
      double perSecond,
      double sends,
      double receives,
      double bytes,
      Histogram nanos,
      long collections,
      double cpuNanos,
      double pausedMillis,
      Double bytesPerOffer) {
    return new Measured(
        perSecond,
        sends,
        receives,
        bytes,
        collections,
        nanos.getMean(),
        nanos.getValueAtPercentile(50),
        nanos.getValueAtPercentile(99),
        nanos.getValueAtPercentile(99.9),
        nanos.getTotalCount() == 0 ? null : Latencies.encode(nanos),
        cpuNanos,
        pausedMillis,
        bytesPerOffer);
  }

  /** Several of the same length as one, and what an offer allocates, or null. */
  static Measured pooled(List<Measured> parts, Double bytesPerOffer) {
    Histogram times = Latencies.newHistogram();
    parts.stream()
        .map(Measured::times)
        .filter(Objects::nonNull)
        .forEach(part -> times.add(Latencies.decode(part)));
    return of(
        sum(parts, Measured::perSecond) / parts.size(),
        perRecord(parts, Measured::failedSends),
        perRecord(parts, Measured::failedReceives),
        perRecord(parts, Measured::bytesPerRecord),
        times,
        parts.stream().mapToLong(Measured::collections).sum(),
        perRecord(parts, Measured::cpuNanos),
        sum(parts, Measured::pausedMillis) / parts.size(),
        bytesPerOffer);
  }

  /** The average over all records; who counted none has nothing per record. */
  private static double perRecord(List<Measured> parts, ToDoubleFunction<Measured> value) {
    double records = sum(parts, Measured::perSecond);
    double total = sum(parts, part -> value.applyAsDouble(part) * part.perSecond());
    return records > 0 ? total / records : 0;
  }

  private static double sum(List<Measured> parts, ToDoubleFunction<Measured> value) {
    return parts.stream().mapToDouble(value).sum();
  }

  /** Whether no record came through: of no speed there is no ratio. */
  boolean isNothing() {
    return !(perSecond > 0 || p50 > 0);
  }
}
