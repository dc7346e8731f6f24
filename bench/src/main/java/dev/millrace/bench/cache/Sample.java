package dev.millrace.bench.cache;

import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Samples;
import dev.millrace.bench.harness.Table;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a JVM has found.
 *
 * @param job what it was to do
 * @param error why it has found nothing; null if it has
 */
record Sample<T>(T job, int round, Found found, String error) {
  /**
   * What was measured.
   *
   * @param figures by their names, which hold the units
   * @param times as {@link dev.millrace.bench.harness.Latencies} encodes them, or null
   */
  record Found(Map<String, Double> figures, String times) {}

  /** Does a job in a JVM of its own. */
  static <T> Sample<T> of(
      T job, int round, Child.Job<Found> fork, List<String> flags, long mostSeconds)
      throws InterruptedException {
    try {
      return new Sample<>(job, round, Child.run(fork, flags, mostSeconds, Found.class), null);
    } catch (IOException e) {
      return new Sample<>(job, round, null, reason(e.getMessage()));
    }
  }

  /** The last cause in what a JVM has printed, or the first line. */
  static String reason(String printed) {
    return printed
        .lines()
        .filter(line -> line.startsWith("Caused by: "))
        .reduce((_, last) -> last)
        .or(() -> printed.lines().findFirst())
        .orElse("no message")
        .replaceFirst("Caused by: ", "");
  }

  /** The first error of some samples. */
  static Optional<String> error(List<? extends Sample<?>> samples) {
    return samples.stream().map(Sample::error).filter(Objects::nonNull).findFirst();
  }

  static double[] values(List<? extends Sample<?>> samples, String name) {
    return samples.stream().mapToDouble(one -> one.found().figures().get(name)).toArray();
  }

  /** The medians of figures, or why there are none. */
  static List<String> cells(List<? extends Sample<?>> samples, List<String> names) {
    return error(samples)
        .map(error -> List.of("does not run: " + error))
        .orElseGet(() -> names.stream().map(name -> median(samples, name)).toList());
  }

  private static String median(List<? extends Sample<?>> samples, String name) {
    return Table.format("%,.1f", Samples.median(values(samples, name)));
  }
}
