package dev.millrace.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The tables for a document in Markdown. */
final class RatiosMarkdown {
  private RatiosMarkdown() {}

  /** Writes a table for each work and placement. */
  static void write(SideBySide report, Path file) throws IOException {
    StringBuilder text = new StringBuilder();
    report.measured().forEach(section -> append(text, section));
    for (SuiteReport suite : report.suites()) {
      text.append("## ").append(suite.title()).append("\n\n");
      suite.sections().forEach(section -> append(text, section));
    }
    Files.writeString(file, text.toString().stripTrailing() + "\n");
  }

  private static void append(StringBuilder text, Section section) {
    text.append("### ").append(section.title());
    text.append(section.oversubscribed() ? " (oversubscribed)\n\n" : "\n\n");
    for (String placement : Section.PLACEMENTS) {
      List<Line> lines = section.linesAt(placement);
      if (lines.isEmpty()) {
        text.append("No ratio of ").append(placement).append(" cores was had.\n\n");
      } else {
        append(text, section, placement, lines);
      }
    }
  }

  private static void append(
      StringBuilder text, Section section, String placement, List<Line> lines) {
    text.append("| ").append(placement).append(" cores, against | ratio | 95 % | target | | ");
    text.append(section.trips() ? "ours, p50 / p99 / p99.9 | theirs" : "ours | theirs");
    text.append(" | bytes per record | samples |\n|---|--:|--:|--:|---|--:|--:|--:|--:|\n");
    for (Line line : lines) {
      String samples = line.ours().samples() + " / " + line.theirs().samples();
      List<String> cells =
          List.of(
              section.label(line),
              line.ratioText(),
              line.interval(),
              line.targetText(),
              line.verdict().word(),
              line.ours().speed(),
              line.theirs().speed(),
              line.bytes(),
              samples);
      text.append("| ");
      text.append(String.join(" | ", cells.stream().map(RatiosMarkdown::cell).toList()));
      text.append(" |\n");
    }
    text.append('\n');
  }

  private static String cell(String value) {
    return value.replace("<", "&lt;").replace("|", "\\|");
  }
}
