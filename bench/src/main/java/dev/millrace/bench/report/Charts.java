package dev.millrace.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** What the charts are drawn from and with. */
final class Charts {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Charts() {}

  /**
   * All charts.
   *
   * @param ratios of works
   * @param sweeps over several works
   */
  record All(List<Chart> ratios, List<Lines> sweeps) {}

  /**
   * A chart over several works.
   *
   * @param id that of its canvas
   * @param axis what the works differ in
   * @param curves one for each contender
   */
  record Lines(String id, String axis, List<Curve> curves) {}

  /**
   * A chart of ratios.
   *
   * @param id that of its canvas
   * @param bars its rows, from the top
   * @param low where the axis begins, the same in all charts of a work
   * @param high where it ends
   */
  record Chart(String id, List<Bar> bars, double low, double high) {}

  /**
   * A row.
   *
   * @param label its name, in as many lines
   * @param ratio the ratio
   * @param interval its bounds, or null
   * @param target the ratio to reach, or null
   */
  record Bar(List<String> label, double ratio, List<Double> interval, Double target) {}

  /** All charts of the report as JSON that may stand in HTML. */
  static String json(SideBySide report) {
    try {
      return JSON.writeValueAsString(new All(ratios(report), sweeps(report)))
          .replace("<", "\\u003c");
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("charts must have a form in JSON", e);
    }
  }

  private static List<Chart> ratios(SideBySide report) {
    List<Chart> charts = new ArrayList<>();
    for (Section section : report.allSections().filter(one -> !one.swept()).toList()) {
      for (String placement : Section.PLACEMENTS) {
        List<Line> lines = section.linesAt(placement);
        if (!lines.isEmpty()) {
          charts.add(chart(section, placement, lines));
        }
      }
    }
    return charts;
  }

  private static List<Lines> sweeps(SideBySide report) {
    List<Lines> charts = new ArrayList<>();
    for (SuiteReport suite : report.suites()) {
      for (SweepChart sweep : suite.sweeps()) {
        for (String placement : Section.PLACEMENTS) {
          List<Curve> curves = sweep.curvesAt(placement);
          if (!curves.isEmpty()) {
            charts.add(new Lines(sweep.id() + "-" + placement, sweep.axis(), curves));
          }
        }
      }
    }
    return charts;
  }

  private static Chart chart(Section section, String placement, List<Line> lines) {
    double least = 1;
    double most = 1;
    for (Line line : section.lines()) {
      double target = line.target() == null ? 1 : line.target();
      // An interval of few samples may go far beyond what is of interest.
      least = Math.min(least, Math.min(target, Math.max(line.low(), line.ratio() / 3)));
      most = Math.max(most, Math.max(target, Math.min(line.high(), line.ratio() * 3)));
    }
    return new Chart(
        section.work() + "-" + placement,
        lines.stream().map(line -> bar(section, line)).toList(),
        least / 1.15,
        most * 1.15);
  }

  private static Bar bar(Section section, Line line) {
    String label = section.label(line);
    int comma = label.indexOf(", ", line.theirs().contender().length());
    List<String> parts =
        comma < 0 ? List.of(label) : List.of(label.substring(0, comma), label.substring(comma + 2));
    List<Double> interval =
        Double.isInfinite(line.high()) ? null : List.of(line.low(), line.high());
    return new Bar(parts, line.ratio(), interval, line.target());
  }

  /** The script of the library. */
  static String library() throws IOException {
    Properties names = new Properties();
    try (InputStream in = Charts.class.getResourceAsStream("charts.properties")) {
      names.load(in);
    }
    // Its last line names a file that is not beside the page.
    return text("/" + names.getProperty("library")).replaceAll("(?m)^//# sourceMappingURL=.*$", "");
  }

  /** Our own, which says what is to be drawn. */
  static String script(String name) throws IOException {
    return text(name);
  }

  private static String text(String resource) throws IOException {
    try (InputStream in = Charts.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("script must be on the class path: script=" + resource);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
