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
    RatiosMarkdown.write(report, directory.resolve("ratios.md"));
    Path page = directory.resolve(PAGE);
    Page.write(
        ReportFiles.class,
        "compare.ftlh",
        Map.of(
            "report",
            report,
            "placements",
            Section.PLACEMENTS,
            "numbers",
            new Numbers(),
            "library",
            asIs(Charts.library()),
            "script",
            asIs(Charts.script("charts.js")),
            "curves",
            asIs(Charts.script("curves.js")),
            "charts",
            asIs(Charts.json(report))),
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
