package dev.millrace.bench.report;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** The ratios for other programs. */
final class RatiosCsv {
  private static final String[] HEADER = {
    "work", "peer", "placement", "ratio", "ratio_low", "ratio_high", "target", "alloc_bytes_per_op"
  };

  private RatiosCsv() {}

  /** Writes them; bounds and targets that are not there are left empty. */
  static void write(SideBySide report, Path file) throws IOException {
    try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(file)) {
      csv.writeRecord(HEADER);
      report.lines().forEach(line -> csv.writeRecord(values(line)));
    }
  }

  private static String[] values(Line line) {
    boolean bounded = !Double.isInfinite(line.high());
    return new String[] {
      line.name(),
      line.peer(),
      line.placement(),
      number(line.ratio()),
      bounded ? number(line.low()) : "",
      bounded ? number(line.high()) : "",
      line.target() == null ? "" : number(line.target()),
      line.isThroughput() ? number(line.bytesPerRecord()) : ""
    };
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.4f", value);
  }
}
