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
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double SMALL_RATE = 100;

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

  private Map<String, Reading> former = Map.of();
  private long formerNanoTime;

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
    this.process = OwnerProcess.of(reader);
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
    addTable(readings, nanoTime, rows == 0 ? Integer.MAX_VALUE : room - 1, lines);
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
        process.isRunning()
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

  // ---- counters ----

  private void addTable(List<Reading> readings, long nanoTime, int room, List<String> lines) {
    double seconds = (nanoTime - formerNanoTime) / NANOS_PER_SECOND;
    TextTable table = new TextTable("label", "kind", "#value", "#per second");
    Map<String, Reading> seen = new HashMap<>();
    for (Reading one : readings) {
      Reading before = former.get(one.label());
      seen.put(one.label(), one);
      if (one.label().startsWith(options.labelPrefix)) {
        table.add(
            Escapes.plain(one.label()),
            one.kind(),
            String.format(Locale.ROOT, "%,d", one.value()),
            seconds > 0 && one.isAfter(before)
                ? rate((one.value() - before.value()) / seconds)
                : "");
      }
    }
    former = seen;
    formerNanoTime = nanoTime;
    List<String> all = table.lines();
    if (all.size() <= room) {
      lines.addAll(all);
    } else {
      int shown = Math.max(1, room - 1); // always show the head
      lines.addAll(all.subList(0, shown));
      lines.add(String.format(Locale.ROOT, "and %,d more", all.size() - shown));
    }
  }

  private static String rate(double perSecond) {
    boolean isSmall = Math.abs(perSecond) < SMALL_RATE && perSecond != 0;
    return String.format(Locale.ROOT, isSmall ? "%,.1f" : "%,.0f", perSecond);
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
