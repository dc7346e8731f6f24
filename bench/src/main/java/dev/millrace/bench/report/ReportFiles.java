package dev.millrace.bench.report;

import dev.millrace.report.Numbers;
import dev.millrace.report.Page;
import freemarker.core.HTMLOutputFormat;
import freemarker.template.TemplateModelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The files of the report: a page, a table for programs, tables for documents. */
public final class ReportFiles {
  /** The page's name. */
  public static final String PAGE = "index.html";

  private ReportFiles() {}

  /**
   * Writes them.
   *
   * @param report what they say
   * @param directory where they go
   * @return the page
   * @throws IOException if they cannot be written
   */
  public static Path write(SideBySide report, Path directory) throws IOException {
    Files.createDirectories(directory);
    RatiosCsv.write(report, directory.resolve("ratios.csv"));
    if (!report.footprints().isEmpty()) {
      FootprintCsv.write(report, directory.resolve("footprint.csv"));
    }
    RatiosMarkdown.write(report, directory.resolve("ratios.md"));
    Path page = directory.resolve(PAGE);
    Page.write(
        ReportFiles.class,
        "compare.ftlh",
        Map.ofEntries(
            Map.entry("report", report),
            Map.entry("placements", Section.PLACEMENTS),
            Map.entry("percentiles", TimeCurve.heads()),
            Map.entry("numbers", new Numbers()),
            Map.entry("library", asIs(Charts.library())),
            Map.entry("script", asIs(Charts.script("charts.js"))),
            Map.entry("curves", asIs(Charts.script("curves.js"))),
            Map.entry("charts", asIs(Charts.json(report))),
            Map.entry("timesScript", asIs(Charts.script("times.js"))),
            Map.entry("timeData", asIs(TimeCharts.json(report)))),
        page);
    return page;
  }

  /** Text that is HTML already, or goes where HTML is not read. */
  private static Object asIs(String text) throws IOException {
    try {
      return HTMLOutputFormat.INSTANCE.fromMarkup(text);
    } catch (TemplateModelException e) {
      throw new IOException(e);
    }
  }
}
