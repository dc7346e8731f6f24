package dev.millrace.queues.internal.shared;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.millrace.flyweight.internal.Checks;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.zip.CRC32C;

/**
 * What does not change in a file: see {@link FileLayout}.
 *
 * @param spec what the ring needs
 * @param participants the number of entries in the table
 * @param created when it was made, in milliseconds since 1970
 * @param creator the process id of its creator
 */
record FileHeader(RingSpec spec, int participants, long created, long creator) {
  FileHeader {
    Checks.inRange("participants", participants, 1, FileLayout.MOST_PARTICIPANTS);
    Checks.inRange("reserved", spec.reserved(), 0, participants);
  }

  /** The header of a file that this process makes now. */
  static FileHeader now(RingSpec spec, FileOptions options) {
    return new FileHeader(
        spec, options.participants(), System.currentTimeMillis(), ProcessHandle.current().pid());
  }

  // ---- sections ----

  long wordsOffset() {
    return FileLayout.wordsOffset(participants);
  }

  long dataOffset() {
    return FileLayout.dataOffset(participants, spec.wordsBytes());
  }

  long fileBytes() {
    return FileLayout.fileBytes(participants, spec.wordsBytes(), spec.dataBytes());
  }

  /** The memory of the ring in that of the file. */
  MemorySegment ring(MemorySegment file) {
    return file.asSlice(wordsOffset(), dataOffset() + spec.dataBytes() - wordsOffset());
  }

  // ---- writing ----

  /** Writes all but the magic. */
  void write(MemorySegment file) {
    ByteBuffer bytes = ByteBuffer.allocate((int) FileLayout.HEADER_BYTES);
    bytes.order(ByteOrder.nativeOrder());
    bytes.putInt(FileLayout.BYTE_ORDER, FileLayout.BYTE_ORDER_MARK);
    bytes.putInt(FileLayout.VERSION, FileLayout.VERSION_WRITTEN);
    bytes.put(FileLayout.KIND, spec.kind().getBytes(US_ASCII));
    bytes.putLong(FileLayout.FILE_BYTES, fileBytes());
    bytes.putInt(FileLayout.PARTICIPANTS, participants);
    bytes.putInt(FileLayout.RESERVED, spec.reserved());
    bytes.putLong(FileLayout.WORDS_OFFSET, wordsOffset());
    bytes.putLong(FileLayout.WORDS_BYTES, spec.wordsBytes());
    bytes.putLong(FileLayout.DATA_OFFSET, dataOffset());
    bytes.putLong(FileLayout.DATA_BYTES, spec.dataBytes());
    bytes.putLong(FileLayout.CREATED, created);
    bytes.putLong(FileLayout.CREATOR, creator);
    bytes.putInt(FileLayout.SETTINGS, spec.settings().size());
    int at = FileLayout.FIRST_SETTING;
    for (var setting : spec.settings().entrySet()) {
      bytes.put(at, setting.getKey().getBytes(US_ASCII));
      bytes.putLong(at + FileLayout.NAME_BYTES, setting.getValue());
      at += FileLayout.SETTING_BYTES;
    }
    bytes.put(FileLayout.LAYOUT, spec.layout().getBytes(US_ASCII));
    bytes.putInt(FileLayout.CHECKSUM, checksum(bytes.array()));
    int from = FileLayout.BYTE_ORDER; // the magic is written last
    MemorySegment.copy(bytes.array(), from, file, JAVA_BYTE, from, bytes.capacity() - from);
  }

  // ---- reading ----

  /**
   * Reads and checks it, and the size of the file.
   *
   * @throws IOException if the file is none of this library's, or cannot be used by it
   */
  static FileHeader read(String name, MemorySegment file) throws IOException {
    if (file.byteSize() < FileLayout.HEADER_BYTES) {
      throw refused(name, "too short for a ring: bytes=" + file.byteSize());
    }
    long magic = Magic.read(file);
    if (magic == Magic.INCOMPLETE) {
      throw refused(name, "still being made, or never completed: magic=0");
    }
    if (magic != Magic.COMPLETE) {
      throw refused(name, "not a ring of this library: magic=" + Magic.shown(magic));
    }
    byte[] header = file.asSlice(0, FileLayout.HEADER_BYTES).toArray(JAVA_BYTE);
    ByteBuffer bytes = ByteBuffer.wrap(header).order(ByteOrder.nativeOrder());
    checkOrigin(name, bytes, checksum(header));
    FileHeader found;
    try {
      found = parse(bytes);
    } catch (IllegalArgumentException e) {
      throw new IOException(name + ": header is damaged: " + e.getMessage(), e);
    }
    found.checkSizes(name, bytes, file.byteSize());
    return found;
  }

  private static void checkOrigin(String name, ByteBuffer bytes, int actual) throws IOException {
    int mark = bytes.getInt(FileLayout.BYTE_ORDER);
    if (mark == Integer.reverseBytes(FileLayout.BYTE_ORDER_MARK)) {
      throw refused(
          name, "written in another byte order than this machine's " + ByteOrder.nativeOrder());
    }
    int version = bytes.getInt(FileLayout.VERSION);
    if (mark == FileLayout.BYTE_ORDER_MARK && version != FileLayout.VERSION_WRITTEN) {
      throw refused(
          name,
          "unknown version: version=%d, known is %d"
              .formatted(version, FileLayout.VERSION_WRITTEN));
    }
    int found = bytes.getInt(FileLayout.CHECKSUM);
    if (found != actual || mark != FileLayout.BYTE_ORDER_MARK) {
      throw refused(
          name,
          "header is damaged: checksum=0x%08x, its bytes have 0x%08x".formatted(found, actual));
    }
  }

  private static FileHeader parse(ByteBuffer bytes) {
    int count = bytes.getInt(FileLayout.SETTINGS);
    Checks.inRange("settings", count, 0, FileLayout.MOST_SETTINGS);
    SequencedMap<String, Long> settings = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      int at = FileLayout.FIRST_SETTING + i * FileLayout.SETTING_BYTES;
      settings.put(
          text(bytes, at, FileLayout.NAME_BYTES), bytes.getLong(at + FileLayout.NAME_BYTES));
    }
    RingSpec spec =
        new RingSpec(
            text(bytes, FileLayout.KIND, FileLayout.NAME_BYTES),
            settings,
            bytes.getInt(FileLayout.RESERVED),
            bytes.getLong(FileLayout.WORDS_BYTES),
            bytes.getLong(FileLayout.DATA_BYTES),
            text(bytes, FileLayout.LAYOUT, FileLayout.LAYOUT_BYTES));
    return new FileHeader(
        spec,
        bytes.getInt(FileLayout.PARTICIPANTS),
        bytes.getLong(FileLayout.CREATED),
        bytes.getLong(FileLayout.CREATOR));
  }

  private static String text(ByteBuffer bytes, int at, int most) {
    int length = 0;
    while (length < most && bytes.get(at + length) != 0) {
      length++;
    }
    byte[] text = new byte[length];
    bytes.get(at, text);
    return new String(text, US_ASCII);
  }

  private void checkSizes(String name, ByteBuffer bytes, long found) throws IOException {
    checkEqual(name, "wordsOffset", bytes.getLong(FileLayout.WORDS_OFFSET), wordsOffset());
    checkEqual(name, "dataOffset", bytes.getLong(FileLayout.DATA_OFFSET), dataOffset());
    checkEqual(name, "fileBytes", bytes.getLong(FileLayout.FILE_BYTES), fileBytes());
    if (found < fileBytes()) {
      throw refused(name, "cut short: bytes=%d, made with %d".formatted(found, fileBytes()));
    }
    checkEqual(name, "bytes", found, fileBytes());
  }

  private static void checkEqual(String name, String what, long found, long expected)
      throws IOException {
    if (found != expected) {
      throw refused(name, "another layout: %s=%d, expected %d".formatted(what, found, expected));
    }
  }

  private static IOException refused(String name, String why) {
    return new IOException(name + ": " + why);
  }

  private static int checksum(byte[] header) {
    CRC32C checksum = new CRC32C();
    checksum.update(header, FileLayout.BYTE_ORDER, FileLayout.CHECKSUM - FileLayout.BYTE_ORDER);
    return (int) checksum.getValue();
  }
}
