package dev.millrace.micrometer;

import dev.millrace.telemetry.TelemetryReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads telemetry from a reader, or from whatever file is at a path at the time. Not safe for use
 * by several threads at a time.
 */
final class TelemetrySource implements AutoCloseable {
  private final @Nullable Path file; // null if there is only a reader
  private @Nullable TelemetryReader reader; // null if no file has been opened
  private @Nullable Object key; // distinguishes the file from a later one at the same path
  private long files; // how many were opened

  TelemetrySource(@Nullable Path file, @Nullable TelemetryReader reader) {
    this.file = file;
    this.reader = reader;
  }

  /**
   * The values at one moment.
   *
   * @param files how many files were opened: if it is another number, the values are of a new file
   * @param counters the counters by label
   * @param gauges the gauges by label
   * @param isRunning whether the process that writes the telemetry is running
   */
  record Values(
      long files, Map<String, Long> counters, Map<String, Long> gauges, boolean isRunning) {}

  /** Reads all values, or returns null if nothing can be read now. */
  @Nullable Values read() {
    try {
      if (file != null) {
        openLatest(file);
      }
      if (reader == null) {
        return null;
      }
      return new Values(files, reader.counters(), reader.gauges(), reader.isProcessRunning());
    } catch (IllegalStateException e) { // closed, or damaged
      return null;
    }
  }

  /** Opens the file at the path if it is not the one that is open. */
  private void openLatest(Path path) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
      Object latest =
          attributes.fileKey() == null ? attributes.creationTime() : attributes.fileKey();
      if (latest.equals(key) || !attributes.isRegularFile()) { // opening a pipe would block
        return;
      }
      TelemetryReader opened = TelemetryReader.open(path);
      close();
      reader = opened;
      key = latest;
      files++;
    } catch (IOException e) {
      return; // gone, or not complete yet: whatever is open stays open
    }
  }

  /** Closes the open file, but not a reader that was passed in. */
  @Override
  public void close() {
    if (file != null && reader != null) {
      reader.close();
      reader = null;
      key = null;
    }
  }
}
