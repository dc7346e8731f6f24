package dev.millrace.telemetry;

import dev.millrace.flyweight.internal.Checks;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * Creates and opens telemetry files, mapped into memory.
 *
 * <p>A file gets all its space before it is mapped, so a full disk is an error when the file is
 * created, not a signal when a counter is written. The magic is written last, so a file that a
 * process left incomplete is never mistaken for a complete one. A previous file at the same path is
 * removed, not overwritten, so processes that have it open can keep reading it. A file begins with
 * this header:
 *
 * <pre>
 *    0  magic           8  "MILLRACE"
 *    8  byteOrder       4  0x01020304, in the writer's order, as all that follows
 *   12  version         4  1
 *   16  startEpochNanos 8  when it was made, by the wall clock, from 1970 in UTC
 *   24  startNanoTime   8  the same moment by System.nanoTime
 *   32  processId       8
 *   40  capacity        4  the number of counters' slots
 *   44  traceRecords    4  how many records the trace log keeps, 0 if there is none
 *   48  recordBytes     4  the size of each
 *   52  checksum        4  CRC-32C of the bytes 8 to 51
 *   56  zeros, to 4096
 * </pre>
 */
final class TelemetryFile {
  private static final String MAGIC = "MILLRACE";
  private static final String HALF_MADE = "\0".repeat(MAGIC.length());
  private static final int VERSION = 1;
  private static final int BYTE_ORDER_MARK = 0x01020304;
  private static final int CHUNK_BYTES = 1 << 18;

  private static final int CHECKED_FROM = 8;
  private static final int CHECKSUM = 52;

  private TelemetryFile() {}

  // ---- making ----

  /** Creates a file and maps it. */
  static TelemetryMemory create(Path file, TelemetryHeader header) throws IOException {
    checkFileSystem(file);
    removeFormer(file);
    Files.createFile(file);
    Arena arena = Arena.ofShared();
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      preallocate(file, channel, header.sizeBytes());
      MemorySegment memory =
          channel.map(FileChannel.MapMode.READ_WRITE, 0, header.sizeBytes(), arena);
      write(header, fields(memory));
      channel.write(StandardCharsets.US_ASCII.encode(MAGIC), 0);
      return new TelemetryMemory(header, memory, Checks.shownPath(file), arena::close);
    } catch (IOException | RuntimeException e) {
      arena.close();
      Files.deleteIfExists(file);
      throw e;
    }
  }

  private static void checkFileSystem(Path file) {
    if (!file.getFileSystem().equals(FileSystems.getDefault())) {
      throw new IllegalArgumentException(
          "telemetry needs a file of the default file system: " + Checks.shownPath(file));
    }
  }

  private static void removeFormer(Path file) throws IOException {
    if (Files.exists(file)) {
      if (!Files.isRegularFile(file) || !isOurs(file)) {
        throw new FileAlreadyExistsException(
            Checks.shownPath(file), null, "file must not exist, or be one of telemetry");
      }
      Files.delete(file);
    }
  }

  /**
   * Returns whether {@code file} may be replaced, because it is a telemetry file or an incomplete
   * one.
   */
  private static boolean isOurs(Path file) throws IOException {
    try (InputStream bytes = Files.newInputStream(file)) {
      String magic = latin(bytes.readNBytes(MAGIC.length()));
      return MAGIC.startsWith(magic) || HALF_MADE.startsWith(magic);
    }
  }

  private static String latin(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** Writes zeros, so that all of the file's space is allocated. */
  static void preallocate(Path file, FileChannel channel, long sizeBytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocate(CHUNK_BYTES);
    try {
      for (long left = sizeBytes; left > 0; left -= channel.write(zeros)) {
        zeros.clear().limit((int) Math.min(CHUNK_BYTES, left));
      }
    } catch (IOException e) {
      throw new IOException(
          Checks.shownPath(file)
              + ": space must be there for the whole file: sizeBytes="
              + sizeBytes,
          e);
    }
  }

  private static void write(TelemetryHeader header, ByteBuffer fields) {
    fields
        .putInt(BYTE_ORDER_MARK)
        .putInt(VERSION)
        .putLong(header.startEpochNanos())
        .putLong(header.startNanoTime())
        .putLong(header.processId())
        .putInt(header.capacity())
        .putInt(header.traceRecords())
        .putInt(header.recordBytes())
        .putInt(checksum(fields));
  }

  /** Returns the header's bytes after the magic. */
  private static ByteBuffer fields(MemorySegment memory) {
    return memory
        .asSlice(0, CHECKSUM + Integer.BYTES)
        .asByteBuffer()
        .order(ByteOrder.nativeOrder())
        .position(CHECKED_FROM);
  }

  private static int checksum(ByteBuffer fields) {
    CRC32C checksum = new CRC32C();
    checksum.update(fields.slice(CHECKED_FROM, CHECKSUM - CHECKED_FROM));
    return (int) checksum.getValue();
  }

  // ---- opening ----

  /** Opens a file for reading, maps it, and validates its header. */
  static TelemetryMemory open(Path file) throws IOException {
    checkFileSystem(file);
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      // opening a pipe would block forever
      throw new IOException(Checks.shownPath(file) + ": not a regular file");
    }
    Arena arena = Arena.ofShared();
    try (FileChannel channel = FileChannel.open(file)) {
      MemorySegment memory = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      TelemetryHeader header = header(memory);
      check("size", memory.byteSize(), header.sizeBytes());
      return new TelemetryMemory(header, memory, Checks.shownPath(file), arena::close);
    } catch (IllegalArgumentException e) {
      arena.close();
      throw new IOException(Checks.shownPath(file) + ": " + e.getMessage(), e);
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  private static TelemetryHeader header(MemorySegment memory) {
    if (memory.byteSize() < TelemetryHeader.HEADER_BYTES) {
      throw refusal("size", "at least " + TelemetryHeader.HEADER_BYTES, memory.byteSize());
    }
    String magic = latin(memory.asSlice(0, MAGIC.length()).toArray(ValueLayout.JAVA_BYTE));
    if (magic.equals(HALF_MADE)) {
      throw refusal("magic", quoted(MAGIC), "0, for the file was never completed");
    }
    check("magic", quoted(magic), quoted(MAGIC));
    ByteBuffer fields = fields(memory);
    int mark = fields.getInt();
    if (mark == Integer.reverseBytes(BYTE_ORDER_MARK)) {
      throw refusal("byteOrder", "this machine's " + fields.order(), "the other");
    }
    check("byteOrder", hex(mark), hex(BYTE_ORDER_MARK));
    check("version", fields.getInt(), VERSION);
    check("checksum", hex(fields.getInt(CHECKSUM)), hex(checksum(fields)));
    return new TelemetryHeader(
        fields.getLong(),
        fields.getLong(),
        fields.getLong(),
        fields.getInt(),
        fields.getInt(),
        fields.getInt());
  }

  private static void check(String field, Object value, Object expected) {
    if (!value.equals(expected)) {
      throw refusal(field, expected, value);
    }
  }

  private static IllegalArgumentException refusal(String field, Object rule, Object value) {
    return new IllegalArgumentException(field + " must be " + rule + ": " + field + "=" + value);
  }

  private static String hex(int value) {
    return "0x" + Integer.toHexString(value);
  }

  /** Puts text in quotes, with dots for unprintable characters. */
  private static String quoted(String latin) {
    return '"' + latin.replaceAll("[^ -~]", ".") + '"';
  }
}
