package dev.millrace.bench.harness;

import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;

/** Which way a figure of two sides is good. */
public enum Better {
  MORE,
  LESS,
  NEITHER;

  /**
   * The medians of both sides, and the ratio of their geometric means, above 1 if ours is better; a
   * dash where there is none.
   */
  public List<String> cells(String format, double[] ours, double[] theirs) {
    boolean hasRatio =
        this != NEITHER
            && DoubleStream.concat(Arrays.stream(ours), Arrays.stream(theirs))
                .allMatch(value -> value > 0);
    Ratio ratio =
        !hasRatio
            ? null
            : this == MORE ? Ratio.ofSpeeds(ours, theirs) : Ratio.ofTimes(ours, theirs);
    return List.of(
        Table.format(format, Samples.median(ours)),
        Table.format(format, Samples.median(theirs)),
        hasRatio ? ratio.text() : "-",
        hasRatio ? ratio.interval() : "-");
  }
}
