package dev.millrace.bench.memory;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What one combination of JMH's parameters took.
 *
 * @param work what was measured
 * @param loop by which loop
 * @param kind on which memory
 * @param mix after what
 * @param nanos for an access, on the average
 * @param least in the fastest iteration
 * @param most in the slowest
 */
record Cell(Work work, Loop loop, Kind kind, Mix mix, double nanos, double least, double most) {
  private static final double NANOS_PER_MICRO = 1e3;

  /**
   * What is compared with each other.
   *
   * @param access how much at a time
   * @param isWrite or else it is read
   * @param sizeBytes of the memory
   */
  record Work(Access access, boolean isWrite, int sizeBytes) {
    double accesses() {
      return (double) sizeBytes / access.elementBytes();
    }
  }

  /** Whose loop it is. */
  enum Loop {
    /** All kinds'. */
    SHARED,
    /** The kind's. */
    OWN
  }

  /** What tells cells apart. */
  record Key(Work work, Loop loop, Kind kind, Mix mix) {}

  Key key() {
    return new Key(work, loop, kind, mix);
  }

  /** Of an entry of JMH's JSON. */
  static Cell of(JsonNode entry) throws IOException {
    String name = entry.path("benchmark").asText();
    String unit = entry.at("/primaryMetric/scoreUnit").asText();
    if (!unit.equals("ops/us")) {
      throw new IOException(
          "scoreUnit must be ops/us: scoreUnit=%s, benchmark=%s".formatted(unit, name));
    }
    Work work =
        new Work(
            parameter(entry, "access", Access.class),
            name.endsWith("Write"),
            size(entry.at("/params/size").asText()));
    List<Double> nanos = new ArrayList<>();
    for (JsonNode fork : entry.at("/primaryMetric/rawData")) {
      for (JsonNode iteration : fork) {
        nanos.add(NANOS_PER_MICRO / iteration.asDouble() / work.accesses());
      }
    }
    if (nanos.isEmpty()) {
      throw new IOException("rawData must hold iterations: benchmark=" + name);
    }
    return new Cell(
        work,
        name.contains(".own") ? Loop.OWN : Loop.SHARED,
        parameter(entry, "kind", Kind.class),
        parameter(entry, "mix", Mix.class),
        nanos.stream().mapToDouble(one -> one).average().orElseThrow(),
        nanos.stream().mapToDouble(one -> one).min().orElseThrow(),
        nanos.stream().mapToDouble(one -> one).max().orElseThrow());
  }

  private static <T extends Enum<T>> T parameter(JsonNode entry, String name, Class<T> type)
      throws IOException {
    String value = entry.path("params").path(name).asText();
    try {
      return Enum.valueOf(type, value);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "%s must be one of %s: %s=%s"
              .formatted(name, List.of(type.getEnumConstants()), name, value),
          e);
    }
  }

  private static int size(String value) throws IOException {
    try {
      int size = Integer.parseInt(value);
      if (size > 0) {
        return size;
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw new IOException("size must be a number of bytes: size=" + value);
  }
}
