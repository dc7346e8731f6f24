package dev.millrace.bench.compare;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.bench.harness.Samples;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ResourceBundle;
import java.util.function.Function;
import java.util.stream.Stream;
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
    /** A thicker one is what the others are compared with. */
    Curve(String label, boolean isOurs, List<Point> points) {
      this(label, isOurs ? 4 : 1.5, points);
    }
  }

  record Point(double x, double y) {}

  /** Works that differ in one number: records a second, the means of samples. */
  static List<Chart> of(Sweep sweep, Results results) {
    List<Row> rows = sweep.rows();
    return charts(
        sweep.id(),
        sweep.title,
        sweep.axis,
        "million records a second",
        placement ->
            Arrays.stream(Contenders.values())
                .map(
                    one ->
                        new Curve(
                            one.title(),
                            rows.stream().anyMatch(row -> row.ours() == one),
                            speeds(sweep, rows, results, one, placement))));
  }

  private static List<Point> speeds(
      Sweep sweep, List<Row> rows, Results results, Contenders contender, Placement placement) {
    List<Point> points = new ArrayList<>();
    for (Row row : rows) {
      double[] speeds =
          results.samples(row, contender, placement, row.work().idle()).stream()
              .mapToDouble(sample -> sample.measured().perSecond())
              .toArray();
      if (speeds.length > 0) {
        points.add(new Point(sweep.place(row.work()), Samples.geometricMean(speeds) / 1e6));
      }
    }
    return points;
  }

  /** The times of contenders: a curve for each group. */
  static List<Chart> ofTimes(Row row, List<Group> groups) {
    return charts(
        row.work().id(),
        "Times",
        "one in so many was as long or longer",
        "nanoseconds",
        placement ->
            groups.stream()
                .filter(one -> one.placement() == placement)
                .map(
                    one ->
                        new Curve(
                            one.label(), one.contender() == row.ours(), points(one.times()))));
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

  /** A chart for each placement of the cores that has curves with points. */
  private static List<Chart> charts(
      String id, String title, String x, String y, Function<Placement, Stream<Curve>> curves) {
    return Placement.COMPARED.stream()
        .map(
            placement ->
                new Chart(
                    id + "-" + placement.text(),
                    title + ", " + placement.text() + " cores",
                    x,
                    y,
                    curves.apply(placement).filter(one -> !one.data().isEmpty()).toList()))
        .filter(chart -> !chart.curves().isEmpty())
        .toList();
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
    ResourceBundle bundle = ResourceBundle.getBundle("dev.millrace.bench.compare.charts");
    String library = "/" + bundle.getString("library");
    try (InputStream in = Charts.class.getResourceAsStream(library)) {
      // Its last line names a file that is not beside the page.
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .replaceAll("(?m)^//# sourceMappingURL=.*$", "");
    }
  }
}
