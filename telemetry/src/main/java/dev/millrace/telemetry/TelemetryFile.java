package dev.millrace.telemetry;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Makes and opens telemetry's files, mapped into memory.
 *
 * <p>A file gets all its space before it is mapped, so a full disk is an error when it is made and
 * not a signal when a counter is written. Its magic is written last, so a file that a process left
 * half-made is never taken for whole. A former file at the same place is removed and not
 * overwritten: whoever has it open goes on reading the former one.
 */
final class TelemetryFile {
  private static final int CHUNK_BYTES = 1 << 18;

  private TelemetryFile() {}

  /** Makes a file and maps it into an arena. */
  static MemorySegment create(Path file, TelemetryHeader header, Arena arena) throws IOException {
    removeFormer(file);
    Files.createFile(file);
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      preallocate(file, bytes, header.sizeBytes());
      write(bytes, header.withoutMagic());
      MemorySegment memory =
          bytes.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, header.sizeBytes(), arena);
      write(bytes, TelemetryHeader.magic());
      return memory;
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }

  private static void removeFormer(Path file) throws IOException {
    if (Files.exists(file)) {
      if (!Files.isRegularFile(file) || !isOurs(file)) {
        throw new FileAlreadyExistsException(
            file.toString(), null, "file must not exist, or be one of telemetry");
      }
      Files.delete(file);
    }
  }

  private static boolean isOurs(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      return TelemetryHeader.isOurs(firstBytes(channel));
    }
  }

  /** Writes zeros, so that the file has its space. */
  static void preallocate(Path file, RandomAccessFile bytes, long sizeBytes) throws IOException {
    byte[] zeros = new byte[CHUNK_BYTES];
    try {
      for (long left = sizeBytes; left > 0; left -= CHUNK_BYTES) {
        bytes.write(zeros, 0, (int) Math.min(CHUNK_BYTES, left));
      }
    } catch (IOException e) {
      throw new IOException(
          file + ": space must be there for the whole file: sizeBytes=" + sizeBytes, e);
    }
  }

  private static void write(RandomAccessFile bytes, byte[] begin) throws IOException {
    bytes.seek(0);
    bytes.write(begin);
  }

  /** Opens a file for reading, validates its header, and maps it into an arena. */
  static TelemetryReader open(Path file, Arena arena) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      String name = file.toString();
      TelemetryHeader header = TelemetryHeader.read(firstBytes(channel), channel.size(), name);
      MemorySegment memory =
          channel.map(FileChannel.MapMode.READ_ONLY, 0, header.sizeBytes(), arena);
      return new TelemetryReader(header, memory, name, arena);
    }
  }

  private static byte[] firstBytes(FileChannel channel) throws IOException {
    return Channels.newInputStream(channel).readNBytes(TelemetryHeader.HEADER_BYTES);
  }
}
