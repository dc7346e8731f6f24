package dev.millrace.ohlcv.output;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Supplier;

/**
 * Where the text goes. A file appears under its name only when it is complete. Until then its name
 * ends in the process id and {@code .part}; it is deleted if the work fails.
 */
public final class OutputTarget implements Closeable {
  private static final int BUFFER_CHARS = 1 << 16;

  private final Writer writer;
  private final Path path; // null for the standard output
  private final Path part; // null if written in place
  private boolean complete;

  private OutputTarget(Writer writer, Path path, Path part) {
    this.writer = writer;
    this.path = path;
    this.part = part;
  }

  /** The standard output. */
  public static OutputTarget standard() {
    return of(writer(new FileOutputStream(FileDescriptor.out)));
  }

  /** A writer in place of the standard output. */
  public static OutputTarget of(Writer writer) {
    return new OutputTarget(writer, null, null);
  }

  /**
   * What the option {@code --output} names, or else the standard output.
   *
   * @param path null if the option is not there
   * @throws IllegalArgumentException if it cannot be written, in words of the command line
   */
  public static OutputTarget of(Path path, Supplier<OutputTarget> standard) {
    if (path == null) {
      return standard.get();
    }
    try {
      return file(path);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "--output must be a file that can be written: --output=%s (%s)"
              .formatted(path, e.getMessage()),
          e);
    }
  }

  /** A file, or a device. */
  public static OutputTarget file(Path path) throws IOException {
    boolean isDevice = Files.exists(path) && !Files.isRegularFile(path);
    String partName = path.getFileName() + "." + ProcessHandle.current().pid() + ".part";
    Path part = isDevice ? path : path.resolveSibling(partName);
    if (!isDevice) {
      Files.createFile(part);
      part.toFile().deleteOnExit(); // also when interrupted
    }
    return new OutputTarget(
        writer(new FileOutputStream(part.toFile())), path, isDevice ? null : part);
  }

  /** Where to write. */
  public Writer writer() {
    return writer;
  }

  /** Whether this is a file that appears only when it is whole. */
  public boolean appearsWhole() {
    return part != null;
  }

  /** Says that all was written: gives a file its name. */
  public void complete() throws IOException {
    writer.flush();
    complete = true;
  }

  @Override
  public void close() throws IOException {
    if (path == null) {
      writer.flush();
      return;
    }
    writer.close();
    if (part != null && complete) {
      Files.move(part, path, StandardCopyOption.REPLACE_EXISTING);
    } else if (part != null) {
      Files.deleteIfExists(part);
    }
  }

  private static Writer writer(FileOutputStream stream) {
    return new BufferedWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), BUFFER_CHARS);
  }
}
