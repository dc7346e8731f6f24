package dev.millrace.bench.report;

import java.util.List;
import java.util.Map;

/**
 * Where the figures are from.
 *
 * @param facts of the machine and the JVMs, by name
 * @param versions of the contenders, by name
 * @param nearNanos below which round trip of the probe cores are near
 * @param runs the runs whose samples are pooled
 */
public record Origin(
    Map<String, String> facts, Map<String, String> versions, double nearNanos, List<Run> runs) {
  /**
   * A run.
   *
   * @param started when, in ISO's form
   * @param form quick or full
   * @param seed of the order within rounds
   * @param rounds how many
   * @param samples how many
   * @param command that repeats it
   */
  public record Run(
      String started, String form, long seed, int rounds, int samples, String command) {}
}
