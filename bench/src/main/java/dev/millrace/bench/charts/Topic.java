package dev.millrace.bench.charts;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/**
 * What has a chart and a table of its own on the page. {@code topics.json} has all of them, in the
 * order in which they stand there.
 *
 * @param id the name of its chart's file
 * @param title what a reader is told
 * @param panels the parts of the chart, each with an axis of its own
 */
record Topic(String id, String title, List<Panel> panels) {
  static List<Topic> all() throws IOException {
    try (InputStream json = Topic.class.getResourceAsStream("topics.json")) {
      return List.of(new ObjectMapper().readValue(json, Topic[].class));
    }
  }
}
