package dev.millrace.bench.compare;

import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * What one JVM saw.
 *
 * @param work the work's name
 * @param contender the contender's
 * @param round in which round
 * @param idle how often a side paused after an attempt in vain
 * @param probeBefore the cores' round trip before, in nanoseconds
 * @param probeAfter the same afterwards
 * @param perSecond records per second; 0 if trips were timed
 * @param failedSends attempts in vain per record
 * @param failedReceives attempts in vain per record
 * @param bytesPerRecord heap allocated per record
 * @param p50 the median of the trips, in nanoseconds; 0 if throughput was measured
 * @param p99 the 99th percentile
 * @param p999 the 99.9th
 * @param failure what went wrong, or null
 */
record Sample(
    String work,
    String contender,
    int round,
    int idle,
    double probeBefore,
    double probeAfter,
    double perSecond,
    double failedSends,
    double failedReceives,
    double bytesPerRecord,
    double p50,
    double p99,
    double p999,
    String failure) {
  /** Where the cores were. */
  enum Placement {
    /** Sharing a cache, or nearly. */
    NEAR,
    /** Far apart. */
    FAR,
    /** Moved meanwhile. */
    MOVED;

    /** Those that are compared. */
    static final List<Placement> COMPARED = List.of(NEAR, FAR);

    /** As reports say it. */
    String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Placement of(double roundTripNanos) {
      return roundTripNanos < Probe.NEAR_NANOS ? NEAR : FAR;
    }
  }

  /** Whether it is of a contender at a work. */
  boolean isOf(Row row, Contenders one) {
    return work.equals(row.work().id()) && contender.equals(one.id());
  }

  Placement placement() {
    Placement before = Placement.of(probeBefore);
    return before == Placement.of(probeAfter) ? before : Placement.MOVED;
  }

  /** Of a JVM that has measured nothing yet. */
  static Sample of(String work, String contender, int idle, double before, double after) {
    return new Sample(work, contender, 0, idle, before, after, 0, 0, 0, 0, 0, 0, 0, null);
  }

  /** The same with what traffic has shown. */
  Sample with(Traffic.Result traffic) {
    return new Sample(
        work,
        contender,
        round,
        idle,
        probeBefore,
        probeAfter,
        traffic.perSecond(),
        traffic.failedSends(),
        traffic.failedReceives(),
        traffic.bytesPerRecord(),
        p50,
        p99,
        p999,
        failure);
  }

  /** The same with the times of trips. */
  Sample with(Histogram trips) {
    return new Sample(
        work,
        contender,
        round,
        idle,
        probeBefore,
        probeAfter,
        perSecond,
        failedSends,
        failedReceives,
        bytesPerRecord,
        trips.getValueAtPercentile(50),
        trips.getValueAtPercentile(99),
        trips.getValueAtPercentile(99.9),
        failure);
  }

  /** The same, of a round. */
  Sample in(int itsRound) {
    return new Sample(
        work,
        contender,
        itsRound,
        idle,
        probeBefore,
        probeAfter,
        perSecond,
        failedSends,
        failedReceives,
        bytesPerRecord,
        p50,
        p99,
        p999,
        failure);
  }

  /** The same, gone wrong if nothing came through: of no speed there is no ratio. */
  Sample judged() {
    boolean measured = perSecond > 0 || p50 > 0;
    return failure != null || measured ? this : failed("nothing came through in the time measured");
  }

  /** The same, gone wrong. */
  Sample failed(String why) {
    return new Sample(work, contender, round, idle, 0, 0, 0, 0, 0, 0, 0, 0, 0, why);
  }
}
