package dev.millrace.bench.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.report.Mean;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Curves for Chart.js, both axes logarithmic. */
final class Charts {
  private static final int POINTS_PER_DECADE = 8;

  private Charts() {}

  /**
   * A chart.
   *
   * @param id that of its canvas
   * @param x what the axis along the bottom says
   * @param y what the other says
   */
  public record Chart(String id, String title, String x, String y, List<Curve> curves) {}

  /** A line, as the library takes it. */
  record Curve(String label, double borderWidth, List<Point> data) {
    /**
     * Makes it.
     *
     * @param isOurs whether it is the one that the others are compared with
     */
    static Curve of(Contenders contender, boolean isOurs, List<Point> points) {
      return new Curve(contender.title(), isOurs ? 4 : 1.5, points);
    }
  }

  record Point(double x, double y) {}

  /** Works that differ in one number: records a second, the means of samples. */
  static List<Chart> of(Sweep sweep, Results results) {
    List<Row> rows =
        Row.all().stream()
            .filter(row -> row.sweeps().contains(sweep))
            .sorted(Comparator.comparingInt(row -> sweep.place(row.work())))
            .toList();
    List<Chart> charts = new ArrayList<>();
    for (Placement placement : Placement.COMPARED) {
      List<Curve> curves = new ArrayList<>();
      for (Contenders contender : Contenders.values()) {
        List<Point> points = new ArrayList<>();
        for (Row row : rows) {
          double[] speeds =
              Comparison.samples(results, row, contender, placement, row.work().idle()).stream()
                  .mapToDouble(sample -> sample.measured().perSecond())
                  .toArray();
          if (speeds.length > 0) {
            points.add(new Point(sweep.place(row.work()), Mean.of(speeds).value() / 1e6));
          }
        }
        boolean isOurs = rows.stream().anyMatch(row -> row.ours() == contender);
        curves.add(Curve.of(contender, isOurs, points));
      }
      add(
          charts,
          sweep.id() + "-" + placement.text(),
          sweep.title() + ", " + placement.text() + " cores",
          sweep.axis(),
          "million records a second",
          curves);
    }
    return charts;
  }

  /**
   * The times of contenders. A curve is of all samples of a contender as one, so that a rare time
   * that only one JVM saw is in it with its true weight.
   */
  static List<Chart> ofTimes(Row row, Results results) {
    List<Chart> charts = new ArrayList<>();
    for (Placement placement : Placement.COMPARED) {
      List<Curve> curves =
          row.contenders()
              .map(
                  one ->
                      Curve.of(one, one == row.ours(), points(times(results, row, one, placement))))
              .toList();
      add(
          charts,
          row.work().id() + "-" + placement.text(),
          "Times, " + placement.text() + " cores",
          "one in so many was as long or longer",
          "nanoseconds",
          curves);
    }
    return charts;
  }

  /** All times of a contender, with the fewest pauses that the work was run with. */
  static Histogram times(Results results, Row row, Contenders contender, Placement placement) {
    Histogram all = Latencies.newHistogram();
    int idle = results.idles(row).getFirst();
    Comparison.samples(results, row, contender, placement, idle).stream()
        .map(sample -> sample.measured().times())
        .filter(times -> times != null)
        .map(Latencies::decode)
        .forEach(all::add);
    return all;
  }

  /** Evenly spaced on a logarithmic axis; the last is the longest time. */
  static List<Point> points(Histogram times) {
    List<Point> points = new ArrayList<>();
    long count = times.getTotalCount();
    for (int i = 0; Math.pow(10, (double) i / POINTS_PER_DECADE) < count; i++) {
      double oneIn = Math.pow(10, (double) i / POINTS_PER_DECADE);
      points.add(new Point(oneIn, times.getValueAtPercentile(100 - 100 / oneIn)));
    }
    if (count > 0) {
      points.add(new Point(count, times.getMaxValue()));
    }
    return points;
  }

  private static void add(
      List<Chart> charts, String id, String title, String x, String y, List<Curve> curves) {
    List<Curve> drawn = curves.stream().filter(curve -> !curve.data().isEmpty()).toList();
    if (!drawn.isEmpty()) {
      charts.add(new Chart(id, title, x, y, drawn));
    }
  }

  /** As JSON that may stand in HTML. */
  static String json(List<Chart> charts) {
    try {
      return new ObjectMapper().writeValueAsString(charts).replace("<", "\\u003c");
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("charts must have a form in JSON", e);
    }
  }

  /** The script of the library. */
  static String library() throws IOException {
    String library = "/" + RunCommand.properties("charts.properties").get("library");
    try (InputStream in = Charts.class.getResourceAsStream(library)) {
      // Its last line names a file that is not beside the page.
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .replaceAll("(?m)^//# sourceMappingURL=.*$", "");
    }
  }
}
