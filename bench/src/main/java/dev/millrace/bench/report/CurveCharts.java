package dev.millrace.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;

/** What the curves of percentiles are drawn from. */
final class CurveCharts {
  private static final ObjectMapper JSON = new ObjectMapper();

  private CurveCharts() {}

  /**
   * A chart.
   *
   * @param id that of its canvas
   * @param curves a line for each contender
   */
  record Chart(String id, List<Curve> curves) {}

  /** All of the report as JSON that may stand in HTML. */
  static String json(SideBySide report) {
    List<Chart> charts = new ArrayList<>();
    for (Section section : report.sections()) {
      for (String placement : Section.PLACEMENTS) {
        List<Curve> curves = section.curvesAt(placement);
        if (!curves.isEmpty()) {
          charts.add(new Chart(section.work() + "-" + placement + "-times", curves));
        }
      }
    }
    try {
      return JSON.writeValueAsString(charts).replace("<", "\\u003c");
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("curves must have a form in JSON", e);
    }
  }
}
