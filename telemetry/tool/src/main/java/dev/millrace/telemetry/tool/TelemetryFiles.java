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

/** Opens telemetry files, and reports any fault in them in one sentence. */
public final class TelemetryFiles {
  private TelemetryFiles() {}

  /**
   * Opens a file.
   *
   * @param file a telemetry file
   * @return the reader
   * @throws IOException if the file cannot be read or is rejected. Its message is one sentence that
   *     names the file
   */
  public static TelemetryReader open(Path file) throws IOException {
    try {
      if (Files.exists(file) && !Files.isRegularFile(file)) { // opening a pipe would block
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
   * Reads from an open file. Throws an {@link IOException} if the contents are inconsistent,
   * because the file is damaged or has been truncated since.
   *
   * @param <T> the type of the result
   * @param file the file's name
   * @param read reads from the file
   * @return the result of {@code read}
   * @throws IOException if the file is damaged. Its message is one sentence that names the file
   */
  public static <T> T read(Path file, Supplier<T> read) throws IOException {
    try {
      return read.get();
    } catch (IllegalStateException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw named(file, e);
    } catch (InternalError e) { // thrown by the JVM for a page that the file no longer has
      throw new IOException(file + ": must not be truncated while it is read, and was", e);
    }
  }

  /**
   * Reads a trace log up to a claim and skips unfinished records, for a display that need not
   * account for every record.
   *
   * @param file the file's name
   * @param trace reads the log, starting at its position
   * @param end the number of claims to pass, counted from the start of the log
   * @param onRecord is called for each record
   * @throws IOException if the file is damaged. Its message is one sentence that names the file
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
   * Returns a key that distinguishes a file from a later one at the same path.
   *
   * @param file the path
   * @return a key that is equal only for the same file
   * @throws IOException if there is no file
   */
  static Object key(Path file) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    Object key = attributes.fileKey(); // null if the file system has no file numbers
    return key == null ? attributes.creationTime() : key;
  }
}
