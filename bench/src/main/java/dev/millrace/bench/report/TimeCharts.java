package dev.millrace.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;

/** What the percentiles of times are drawn from. */
final class TimeCharts {
  private static final ObjectMapper JSON = new ObjectMapper();

  private TimeCharts() {}

  /**
   * A chart.
   *
   * @param id that of its canvas
   * @param times a line for each contender
   */
  record Chart(String id, List<TimeCurve> times) {}

  /** All of the report as JSON that may stand in HTML. */
  static String json(SideBySide report) {
    List<Chart> charts = new ArrayList<>();
    for (Section section : report.allSections().toList()) {
      for (String placement : Section.PLACEMENTS) {
        List<TimeCurve> times = section.timesAt(placement);
        if (!times.isEmpty()) {
          charts.add(new Chart(section.work() + "-" + placement + "-times", times));
        }
      }
    }
    try {
      return JSON.writeValueAsString(charts).replace("<", "\\u003c");
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("times must have a form in JSON", e);
    }
  }
}
