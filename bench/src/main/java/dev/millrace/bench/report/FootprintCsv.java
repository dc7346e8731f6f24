package dev.millrace.bench.report;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.IOException;
import java.nio.file.Path;

/** What memory queues take, for other programs. */
final class FootprintCsv {
  private FootprintCsv() {}

  static void write(SideBySide report, Path file) throws IOException {
    try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(file)) {
      csv.writeRecord(
          "contender", "capacity", "heap_bytes_empty", "heap_bytes_full", "off_heap_bytes");
      for (MemoryUse one : report.footprints()) {
        csv.writeRecord(
            one.contender(),
            Integer.toString(one.capacity()),
            Long.toString(one.emptyBytes()),
            Long.toString(one.fullBytes()),
            Long.toString(one.offHeapBytes()));
      }
    }
  }
}
