package dev.millrace.telemetry;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Makes and opens telemetry's files, mapped into memory.
 *
 * <p>A file gets all its space before it is mapped: a full disk is an error when it is made, not a
 * signal when a counter is written. Its magic is written last, so what a process left half-made is
 * never taken for whole. A former file at the same place is removed and not overwritten: who has it
 * open goes on to read the former one.
 */
final class TelemetryFile {
  private static final int CHUNK_BYTES = 1 << 18;

  private TelemetryFile() {}

  /** Makes a file and maps it into an arena. */
  static MemorySegment create(Path file, TelemetryHeader header, Arena arena) throws IOException {
    removeFormer(file);
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      try {
        preallocate(file, channel, header.sizeBytes());
        writeAll(channel, header.withoutMagic(), 0);
        MemorySegment memory =
            channel.map(FileChannel.MapMode.READ_WRITE, 0, header.sizeBytes(), arena);
        writeAll(channel, TelemetryHeader.magic(), 0);
        return memory;
      } catch (IOException | RuntimeException e) {
        Files.deleteIfExists(file);
        throw e;
      }
    }
  }

  private static void removeFormer(Path file) throws IOException {
    if (Files.exists(file)) {
      if (!Files.isRegularFile(file) || !TelemetryHeader.isOurs(firstBytes(file))) {
        throw new FileAlreadyExistsException(
            file.toString(), null, "file must not exist, or be one of telemetry");
      }
      Files.delete(file);
    }
  }

  /** Writes zeros, so that the file has its space. */
  static void preallocate(Path file, FileChannel channel, long sizeBytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(CHUNK_BYTES, sizeBytes));
    for (long done = 0; done < sizeBytes; ) {
      zeros.clear().limit((int) Math.min(zeros.capacity(), sizeBytes - done));
      try {
        done += channel.write(zeros, done);
      } catch (IOException e) {
        throw new IOException(
            file + ": space must be there for the whole file: sizeBytes=" + sizeBytes, e);
      }
    }
  }

  private static void writeAll(FileChannel channel, ByteBuffer bytes, long from)
      throws IOException {
    long position = from;
    while (bytes.hasRemaining()) {
      position += channel.write(bytes, position);
    }
  }

  /** A file that was opened. */
  record Opened(TelemetryHeader header, MemorySegment memory) {}

  /** Opens a file for reading, validates it, and maps it into an arena. */
  static Opened open(Path file, Arena arena) throws IOException {
    ByteBuffer first = firstBytes(file);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      TelemetryHeader header = TelemetryHeader.read(first, channel.size(), file.toString());
      MemorySegment memory =
          channel.map(FileChannel.MapMode.READ_ONLY, 0, header.sizeBytes(), arena);
      return new Opened(header, memory);
    }
  }

  private static ByteBuffer firstBytes(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(TelemetryHeader.HEADER_BYTES);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) > 0) {
        // to the end of the buffer, or of the file
      }
    }
    return bytes.flip();
  }
}
