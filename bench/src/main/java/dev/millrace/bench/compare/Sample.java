package dev.millrace.bench.compare;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * What one JVM saw.
 *
 * @param work the work's name
 * @param contender the contender's
 * @param round in which round
 * @param idle how often a side paused after an attempt in vain
 * @param slices how many parts of its time this is of, those with the cores at one distance
 * @param probeBefore the cores' round trip before them, on the average, in nanoseconds
 * @param probeAfter the same afterwards
 * @param measured what it measured
 * @param failure what went wrong, or null
 */
record Sample(
    String work,
    String contender,
    int round,
    int idle,
    int slices,
    double probeBefore,
    double probeAfter,
    Measured measured,
    String failure) {
  /** Into how many parts the time of a JVM is cut. */
  static final int SLICES = 4;

  // a JVM whose cores moved more often saw them move during slices too
  static final int LEAST_SLICES = 3;

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

    static Placement of(double nanosBefore, double nanosAfter) {
      Placement before = of(nanosBefore);
      return before == of(nanosAfter) ? before : MOVED;
    }

    private static Placement of(double roundTripNanos) {
      return roundTripNanos < Probe.NEAR_NANOS ? NEAR : FAR;
    }
  }

  /**
   * What a JVM saw while the cores were where they were for most slices; what it saw meanwhile of
   * others is left out. If they moved too often for that, then what it saw first.
   */
  static Sample of(
      Work work,
      Contenders contender,
      int round,
      int idle,
      List<Slice> slices,
      Double bytesPerOffer) {
    List<Slice> most =
        Placement.COMPARED.stream()
            .map(placement -> slices.stream().filter(one -> one.placement() == placement).toList())
            .filter(some -> some.size() >= LEAST_SLICES)
            .findFirst()
            .orElse(slices.subList(0, 1));
    return new Sample(
        work.id(),
        contender.id(),
        round,
        idle,
        most.size(),
        average(most, Slice::probeBefore),
        average(most, Slice::probeAfter),
        Measured.pooled(most.stream().map(Slice::measured).toList(), bytesPerOffer),
        null);
  }

  private static double average(List<Slice> slices, ToDoubleFunction<Slice> value) {
    return slices.stream().mapToDouble(value).average().orElseThrow();
  }

  /** One that went wrong. */
  static Sample failed(String work, String contender, int round, int idle, String why) {
    return new Sample(work, contender, round, idle, 0, 0, 0, Measured.NOTHING, why);
  }

  /** Whether it is of a contender at a work. */
  boolean isOf(Row row, Contenders one) {
    return work.equals(row.work().id()) && contender.equals(one.id());
  }

  Placement placement() {
    return slices < LEAST_SLICES ? Placement.MOVED : Placement.of(probeBefore, probeAfter);
  }

  /** The same, gone wrong if nothing came through. */
  Sample judged() {
    return failure == null && measured.isNothing()
        ? failed(work, contender, round, idle, "nothing came through in the time measured")
        : this;
  }
}
