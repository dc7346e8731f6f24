package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceReader;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.function.Supplier;

/** Opens telemetry files, and reports whatever is wrong with them in one sentence. */
public final class TelemetryFiles {
  private TelemetryFiles() {}

  /**
   * Opens a file.
   *
   * @param file made by telemetry
   * @return the reader
   * @throws IOException if it cannot be read or is refused: one sentence that names the file
   */
  public static TelemetryReader open(Path file) throws IOException {
    try {
      if (Files.exists(file) && !Files.isRegularFile(file)) { // a pipe would be waited for
        throw new IOException(file + ": must be a regular file, and is none");
      }
      return TelemetryReader.open(file);
    } catch (NoSuchFileException e) {
      throw new IOException(file + ": there is no such file", e);
    } catch (AccessDeniedException e) {
      throw new IOException(file + ": must be readable, and is not", e);
    } catch (IOException e) {
      throw named(file, e);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw named(file, e);
    }
  }

  /**
   * Reads from an open file; throws an {@link IOException} if the contents are inconsistent,
   * because the file is damaged or has been truncated since.
   *
   * @param <T> what is read
   * @param file the file's name
   * @param read reads
   * @return what was read
   * @throws IOException if the file is damaged: one sentence that names it
   */
  public static <T> T read(Path file, Supplier<T> read) throws IOException {
    try {
      return read.get();
    } catch (IllegalStateException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw named(file, e);
    } catch (InternalError e) { // the JVM's answer to a page that the file has no more
      throw new IOException(file + ": must not be truncated while it is read, and was", e);
    }
  }

  /**
   * Reads a trace log up to a claim and skips what is unfinished, for a display that need not
   * account for every record.
   *
   * @param file the file's name
   * @param trace reads it, from where it is
   * @param end how many claims there are to pass in all
   * @param onRecord is called on each record
   * @throws IOException if the file is damaged: one sentence that names it
   */
  public static void readUpTo(Path file, TraceReader trace, long end, Runnable onRecord)
      throws IOException {
    long _ =
        read(
            file,
            () -> {
              while (trace.position() < end) {
                if (trace.tryPoll()) {
                  onRecord.run();
                } else {
                  long _ = trace.skipUnfinished();
                }
              }
              return trace.position();
            });
  }

  private static IOException named(Path file, Exception e) {
    String message = String.valueOf(e.getMessage());
    return new IOException(message.startsWith(file + ": ") ? message : file + ": " + message, e);
  }

  /**
   * What tells a file from a later one at the same place.
   *
   * @param file where
   * @return equal for the same file only
   * @throws IOException if there is none
   */
  static Object key(Path file) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    Object key = attributes.fileKey(); // null where files have no number
    return key == null ? attributes.creationTime() : key;
  }
}
