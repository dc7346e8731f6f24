package dev.millrace.bench.compare;

import java.util.List;
import java.util.Locale;

/**
 * What one JVM saw.
 *
 * @param work the work's name
 * @param contender the contender's
 * @param round in which round
 * @param idle how often a side paused after an attempt in vain
 * @param probeBefore the cores' round trip before, in nanoseconds
 * @param probeAfter the same afterwards
 * @param measured what it measured
 * @param failure what went wrong, or null
 */
record Sample(
    String work,
    String contender,
    int round,
    int idle,
    double probeBefore,
    double probeAfter,
    Measured measured,
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

  /** One that went wrong. */
  static Sample failed(String work, String contender, int round, int idle, String why) {
    return new Sample(work, contender, round, idle, 0, 0, Measured.NOTHING, why);
  }

  /** Whether it is of a contender at a work. */
  boolean isOf(Row row, Contenders one) {
    return work.equals(row.work().id()) && contender.equals(one.id());
  }

  Placement placement() {
    Placement before = Placement.of(probeBefore);
    return before == Placement.of(probeAfter) ? before : Placement.MOVED;
  }

  /** The same, gone wrong if nothing came through. */
  Sample judged() {
    return failure == null && measured.isNothing()
        ? failed(work, contender, round, idle, "nothing came through in the time measured")
        : this;
  }
}
