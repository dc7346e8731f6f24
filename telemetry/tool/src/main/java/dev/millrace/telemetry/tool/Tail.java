package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;

/**
 * Writes the records of a trace log in order, and follows the log if asked to.
 *
 * <p>While the process is running, it stops at an unfinished record, unless it is told to skip such
 * records. Once the process has ended, no thread can finish the record, so it is skipped.
 */
final class Tail {
  /**
   * What the user asked for.
   *
   * @param follow whether to continue until the process ends
   * @param interval how long to wait between two reads when following
   * @param last how many of the records present at the start to write, or null for all
   * @param type the type of the records wanted, or null for any
   * @param writer the writer of the records wanted, or null for any
   * @param skipsUnfinished whether to skip unfinished records even while the process is running
   */
  record Options(
      boolean follow,
      Duration interval,
      Integer last,
      String type,
      String writer,
      boolean skipsUnfinished) {}

  private final Path file;
  private final Options options;
  private final RecordOutput out;
  private final PrintWriter err;
  private final Stop stop;
  private final TelemetryReader telemetry;
  private final TraceReader reader;
  private final TraceRecords records;
  private final OwnerProcess process;
  private boolean isHeldUp; // by an unfinished record

  private Tail(
      Path file,
      Options options,
      RecordOutput out,
      PrintWriter err,
      Stop stop,
      TelemetryReader telemetry,
      TraceReader reader) {
    this.file = file;
    this.options = options;
    this.out = out;
    this.err = err;
    this.stop = stop;
    this.telemetry = telemetry;
    this.reader = reader;
    this.records = new TraceRecords(reader);
    this.process = new OwnerProcess(telemetry);
  }

  /** Writes the records of {@code file}. */
  static void run(Path file, Options options, RecordOutput out, PrintWriter err, Stop stop)
      throws IOException {
    try (TelemetryReader telemetry = TelemetryFiles.open(file)) {
      if (telemetry.traceCapacity() == 0) {
        throw new IOException(file + ": must have a trace log: it was made without one");
      }
      try (TraceReader reader = telemetry.newTraceReader()) {
        new Tail(file, options, out, err, stop, telemetry, reader).run();
      }
    }
  }

  private void run() throws IOException {
    boolean isRunning = telemetry.isProcessRunning(); // before reading, to miss no record
    readFirst(isRunning);
    out.flush();
    while (options.follow && isRunning && !stop.sleep(options.interval)) {
      isRunning = telemetry.isProcessRunning();
      read(isRunning, null);
      out.flush();
    }
    if (!isRunning) {
      reportEnd();
    } else if (isHeldUp) {
      err.printf(
          Locale.ROOT,
          "stopped before record %,d, which is unfinished; %s; --skip-unfinished passes it%n",
          reader.position(),
          process);
    }
    err.printf(
        Locale.ROOT,
        "%,d read, %,d lost, %,d refused, %,d unfinished%n",
        reader.readCount(),
        reader.lostCount(),
        reader.refusedCount(),
        reader.unfinishedCount());
  }

  private void readFirst(boolean isRunning) throws IOException {
    if (options.last == null) {
      read(isRunning, null);
      return;
    }
    Deque<TraceRecord> last = new ArrayDeque<>();
    read(isRunning, last);
    for (TraceRecord record : last) {
      out.write(record);
    }
  }

  /** Reads the records claimed by now and no more, so that it ends even while a writer is busy. */
  private void read(boolean isRunning, Deque<TraceRecord> last) throws IOException {
    long end = claimed();
    boolean skips = options.skipsUnfinished || !isRunning;
    isHeldUp = false;
    while (reader.position() < end && !stop.isAsked()) {
      if (TelemetryFiles.read(file, reader::tryPoll)) {
        take(last);
      } else if (!skips) {
        isHeldUp = reader.position() < end; // otherwise the last ones were refused
        return;
      } else {
        long _ = TelemetryFiles.read(file, reader::skipUnfinished);
      }
    }
  }

  private void take(Deque<TraceRecord> last) throws IOException {
    boolean isWanted =
        (options.type == null || options.type.equals(reader.type()))
            && (options.writer == null || options.writer.equals(reader.writer()));
    if (!isWanted) {
      return;
    }
    TraceRecord record = TelemetryFiles.read(file, records::copy);
    if (last == null) {
      out.write(record);
      return;
    }
    last.add(record);
    if (last.size() > options.last) {
      last.remove();
    }
  }

  private long claimed() throws IOException {
    return TelemetryFiles.read(file, telemetry::traceClaimedCount);
  }

  private void reportEnd() throws IOException {
    long unfinishedRecords = reader.unfinishedCount();
    int unfinishedCounters = TelemetryFiles.read(file, telemetry::unfinishedCount);
    err.println(process + ": " + Unfinished.text(unfinishedRecords, unfinishedCounters));
  }
}
