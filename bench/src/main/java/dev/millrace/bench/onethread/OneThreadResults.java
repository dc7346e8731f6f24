package dev.millrace.bench.onethread;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.millrace.report.Machine;
import dev.millrace.report.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a run has found, as it is kept in a file.
 *
 * @param command repeats the run, from the root of the checkout
 * @param started when, in UTC
 * @param machine what it ran on
 * @param versions of the peers
 * @param samples one of each JVM
 */
public record OneThreadResults(
    String command,
    String started,
    Machine machine,
    Map<String, String> versions,
    List<Sample> samples) {
  /**
   * What a JVM has found.
   *
   * @param contender what it measured
   * @param style how records were moved
   * @param warmUp what it had seen before
   * @param round in which round
   * @param nanos per record, the mean of its iterations
   * @param instructions per record, or null where the machine does not count them
   * @param stolen the share of the time in which the host took the processors away
   */
  public record Sample(
      Contender contender,
      Style style,
      WarmUp warmUp,
      int round,
      double nanos,
      Double instructions,
      double stolen) {
    /** Above this share a sample says more of the host than of the code. */
    static final double MOST_STOLEN = 0.02;
  }

  /**
   * Writes the file.
   *
   * @param file where
   * @throws IOException if it cannot be written
   */
  public void write(Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(file.toFile(), this);
  }

  /** Prints a table for each work and style: the median JVM, and in brackets the slowest. */
  public void print() {
    for (Work work : Work.values()) {
      for (Style style : Style.values()) {
        List<Contender> contenders =
            work.contenders().stream().filter(one -> isMeasured(one, style)).toList();
        if (!contenders.isEmpty()) {
          print(work, style, contenders);
        }
      }
    }
  }

  private void print(Work work, Style style, List<Contender> contenders) {
    System.out.printf(Locale.ROOT, "%n%s, %s: ns per record%n", work, style.title());
    System.out.printf(Locale.ROOT, "%-24s", "warmed up by");
    for (WarmUp warmUp : WarmUp.values()) {
      System.out.printf(Locale.ROOT, "%18s", warmUp.title());
    }
    System.out.println();
    for (Contender contender : contenders) {
      System.out.printf(Locale.ROOT, "%-24s", contender.title());
      for (WarmUp warmUp : WarmUp.values()) {
        System.out.printf(Locale.ROOT, "%18s", text(nanos(contender, style, warmUp)));
      }
      System.out.println();
    }
  }

  private static String text(double[] nanos) {
    return nanos.length == 0
        ? "-"
        : String.format(
            Locale.ROOT,
            "%.1f (%.1f)",
            Samples.median(nanos),
            Arrays.stream(nanos).max().orElseThrow());
  }

  private boolean isMeasured(Contender contender, Style style) {
    return samples.stream().anyMatch(one -> one.contender() == contender && one.style() == style);
  }

  private double[] nanos(Contender contender, Style style, WarmUp warmUp) {
    return samples.stream()
        .filter(
            one -> one.contender() == contender && one.style() == style && one.warmUp() == warmUp)
        .mapToDouble(Sample::nanos)
        .toArray();
  }
}
