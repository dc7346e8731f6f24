package dev.millrace.bench.compare;

import dev.millrace.bench.harness.Latencies;
import java.util.List;
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
 * @param cpuNanos processor time per record of the threads that wait, if that was counted
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
    Double bytesPerOffer) {
  /** Of a JVM that has not come so far. */
  static final Measured NOTHING = ofTraffic(0, 0, 0, 0, 0);

  static Measured ofTraffic(
      double perSecond,
      double failedSends,
      double failedReceives,
      double bytesPerRecord,
      double cpuNanos) {
    return new Measured(
        perSecond,
        failedSends,
        failedReceives,
        bytesPerRecord,
        0,
        0,
        0,
        0,
        0,
        null,
        cpuNanos,
        null);
  }

  static Measured ofTimes(Histogram nanos) {
    return NOTHING.with(nanos, 0);
  }

  /** Several of the same length as one. */
  static Measured pooled(List<Measured> parts) {
    double perSecond = sum(parts, Measured::perSecond) / parts.size();
    Measured rates =
        ofTraffic(
            perSecond,
            perRecord(parts, Measured::failedSends),
            perRecord(parts, Measured::failedReceives),
            perRecord(parts, Measured::bytesPerRecord),
            perRecord(parts, Measured::cpuNanos));
    if (parts.getFirst().times() == null) {
      return rates;
    }
    Histogram all = Latencies.newHistogram();
    parts.forEach(part -> all.add(Latencies.decode(part.times())));
    return rates.with(all, parts.stream().mapToLong(Measured::collections).sum());
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

  /** The same with the times of records, and how often the collector ran meanwhile. */
  Measured with(Histogram nanos, long itsCollections) {
    return new Measured(
        perSecond,
        failedSends,
        failedReceives,
        bytesPerRecord,
        itsCollections,
        nanos.getMean(),
        nanos.getValueAtPercentile(50),
        nanos.getValueAtPercentile(99),
        nanos.getValueAtPercentile(99.9),
        Latencies.encode(nanos),
        cpuNanos,
        bytesPerOffer);
  }

  /** The same with what an offer allocates. */
  Measured withOffers(Double bytes) {
    return new Measured(
        perSecond,
        failedSends,
        failedReceives,
        bytesPerRecord,
        collections,
        mean,
        p50,
        p99,
        p999,
        times,
        cpuNanos,
        bytes);
  }

  /** Whether no record came through: of no speed there is no ratio. */
  boolean isNothing() {
    return !(perSecond > 0 || p50 > 0);
  }
}
