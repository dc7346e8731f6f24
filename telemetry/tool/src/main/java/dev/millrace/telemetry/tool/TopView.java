package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * Shows the state of the telemetry at one moment as lines of text: its process, the counters with
 * their change since the previous call, and the last trace records. A view shows one reader. If a
 * new file replaces the reader's file, make a new view.
 *
 * <p>A view is used by one thread at a time. It does not own the reader.
 */
public final class TopView implements View {
  /** How many of the log's last claims are read to find recent records. */
  private static final long RECENT = 4_096;

  /**
   * What a view shows.
   *
   * @param labelPrefix the prefix of the labels of the counters shown, empty for all
   * @param records the most trace records to show
   */
  public record Options(String labelPrefix, int records) {}

  private final Path file;
  private final TelemetryReader reader;
  private final Options options;
  private final OwnerProcess process;
  private final TraceReader traceReader; // null if no records are shown, like the next field
  private final TraceRecords traceRecords;
  private final Deque<TraceRecord> recent = new ArrayDeque<>();
  private final ReadingTable table;

  /**
   * Makes a view of the telemetry.
   *
   * @param file the file's name
   * @param reader reads the telemetry
   * @param options what the view shows
   */
  public TopView(Path file, TelemetryReader reader, Options options) {
    this.file = file;
    this.reader = reader;
    this.options = options;
    this.process = new OwnerProcess(reader);
    this.table = new ReadingTable(options.labelPrefix);
    boolean showsRecords = options.records > 0 && reader.traceCapacity() > 0;
    this.traceReader = showsRecords ? reader.newTraceReader() : null;
    this.traceRecords = showsRecords ? new TraceRecords(traceReader) : null;
  }

  /**
   * Reads the current state.
   *
   * @param rows the most lines to return, or 0 for any number. Counters that do not fit are left
   *     out and counted
   * @return the lines
   * @throws IOException if the file is damaged
   */
  @Override
  public List<String> look(int rows) throws IOException {
    return look(rows, System.nanoTime(), Instant.now());
  }

  /** Reads the state at a given time. */
  List<String> look(int rows, long nanoTime, Instant now) throws IOException {
    List<Reading> readings = Reading.readAll(file, reader);
    List<String> lines = new ArrayList<>();
    lines.add(head(now, readings.size()));
    if (reader.traceCapacity() > 0) {
      long claimed = TelemetryFiles.read(file, reader::traceClaimedCount);
      lines.add(trace(claimed));
      if (traceReader != null) {
        readRecent(claimed);
      }
    }
    List<String> records = recent.stream().map(TextRecords::line).toList();
    int room = rows - lines.size() - (records.isEmpty() ? 0 : records.size() + 1);
    lines.add("");
    lines.addAll(table.look(readings, nanoTime, rows == 0 ? Integer.MAX_VALUE : room - 1));
    if (!records.isEmpty()) {
      lines.add("");
      lines.addAll(records);
    }
    return lines;
  }

  private String trace(long claimed) throws IOException {
    return String.format(
        Locale.ROOT,
        "trace: %,d claimed, %,d refused, of which the last %,d are kept",
        claimed,
        TelemetryFiles.read(file, reader::traceRefusedCount),
        reader.traceCapacity());
  }

  private String head(Instant now, int counters) {
    String since =
        reader.isProcessRunning()
            ? ", up " + text(Duration.between(reader.startTime(), now))
            : ", started " + RecordOutput.text(reader.startTime());
    return String.format(
        Locale.ROOT,
        "%s: %s%s; %,d counters",
        Escapes.plain(file.toString()),
        process,
        since,
        counters);
  }

  private static String text(Duration time) {
    String days = time.toDays() > 0 ? time.toDays() + "d " : "";
    return days
        + String.format(
            Locale.ROOT,
            "%02d:%02d:%02d",
            time.toHoursPart(),
            time.toMinutesPart(),
            time.toSecondsPart());
  }

  // ---- records ----

  private void readRecent(long end) throws IOException {
    TelemetryFiles.readUpTo(
        file,
        traceReader,
        end,
        () -> {
          if (traceReader.position() > end - RECENT) {
            recent.add(traceRecords.copy());
          }
          if (recent.size() > options.records) {
            recent.remove();
          }
        });
  }

  /** Frees the memory used to read records. The reader stays open. */
  @Override
  public void close() {
    if (traceReader != null) {
      traceReader.close();
    }
  }
}
