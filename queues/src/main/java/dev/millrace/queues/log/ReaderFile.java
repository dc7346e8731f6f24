package dev.millrace.queues.log;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.internal.LogFiles;
import dev.millrace.queues.internal.LogWords;
import dev.millrace.queues.internal.ReaderNames;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.NullUnmarked;

/**
 * The file of a named reader, which says where the reader continues. Only its holder writes it.
 *
 * <pre>
 *   0  magic         8  "MILLREAD"
 *   8  byteOrder     4  0x01020304
 *  12  version       4  1
 *  16  length        8  of the name
 *  24  name        112  US-ASCII with zeros after it
 * 192  holder        8  how many holders the file had
 * 256  record 0     32
 * 384  record 1     32
 *
 * record
 *   0  turn          8  counts what was recorded, from 1; the higher turn is the newer record
 *   8  position      8  number of the message from which the reader continues
 *  16  released      8  one past the last message that was released; above the position if the log
 *                       has lost messages since
 *  24  check         8  depends on the three words before; written last
 * </pre>
 */
@NullUnmarked // which fields are null follows from the state
final class ReaderFile implements AutoCloseable {
  /*
   * A record is written in place, in turns: so if the process is killed in between, the other
   * record is whole, and it is the one released before. A check that does not fit says that a
   * record is not whole. Each word of a record is a release, so that the next record is not begun
   * before this one is finished.
   *
   * The holder's number finds a holder that has lost its lock without notice: the next holder
   * changes the number.
   */
  static final int BYTES = 512;

  private static final int BYTE_ORDER = 8;
  private static final int VERSION = 12;
  private static final int LENGTH = 16;
  private static final int NAME = 24;
  private static final int NAME_BYTES = ReaderNames.MOST;
  private static final int HOLDER = 192;
  private static final int RECORD = 256;
  private static final int NEXT_RECORD = 128; // bytes from one record to the other
  private static final int POSITION = 8;
  private static final int RELEASED = 16;
  private static final int CHECK = 24;

  private static final byte[] MAGIC = "MILLREAD".getBytes(StandardCharsets.US_ASCII);
  private static final int BYTE_ORDER_MARK = 0x01020304;
  private static final int VERSION_WRITTEN = 1;
  private static final int TRIES = 1_000; // of what a living holder may delay
  private static final long REST_NANOS = 1_000_000;

  private static final String PREFIX = "reader-";
  private static final String SUFFIX = ".position";

  private final Path file;
  private final String name;
  private final LogFiles.Mapped mapped;
  private final MemorySegment memory;
  private long holder; // 0 until the file is taken
  private long turn; // of the newest record

  private ReaderFile(LogFiles files, String name, LogFiles.Mapped mapped) {
    this.file = files.path(fileName(name));
    this.name = name;
    this.mapped = mapped;
    this.memory = mapped.memory();
    checkHeader();
  }

  /** Where a reader continues, and where it had released: see the layout. */
  record Place(long turn, long position, long released) {}

  // ---- names ----

  static String fileName(String name) {
    return PREFIX + ReaderNames.checked(name) + SUFFIX;
  }

  /** Returns the names of all readers that have a file, in order. */
  static List<String> names(LogFiles files) throws IOException {
    return files.names().stream()
        .filter(file -> file.startsWith(PREFIX) && file.endsWith(SUFFIX))
        .filter(file -> file.length() > PREFIX.length() + SUFFIX.length())
        .map(file -> file.substring(PREFIX.length(), file.length() - SUFFIX.length()))
        .filter(ReaderNames::isAllowed)
        .sorted()
        .toList();
  }

  // ---- opening ----

  /**
   * Takes the file of a reader, and makes it if the name is new.
   *
   * @param first where a new reader begins
   * @throws LogDamagedException if the file is damaged
   * @throws IllegalStateException if a living reader has the name
   */
  static ReaderFile take(LogFiles files, String name, long first) throws IOException {
    ReaderFile file = tryTake(files, name, first);
    if (file == null) {
      throw taken(files, name);
    }
    return file;
  }

  /** Does the same, but returns null if a living reader has the name. */
  private static ReaderFile tryTake(LogFiles files, String name, long first) throws IOException {
    LogFiles.Mapped mapped = files.hold(fileName(name), contents(name, first));
    if (mapped == null) {
      return null;
    }
    try {
      ReaderFile file = new ReaderFile(files, name, mapped);
      file.take();
      return file;
    } catch (RuntimeException e) {
      mapped.close();
      throw e;
    }
  }

  private static IllegalStateException taken(LogFiles files, String name) {
    return new IllegalStateException(
        "a living reader has this name: name=%s, directory=%s".formatted(name, files.directory()));
  }

  private void take() {
    turn = place().turn;
    holder = LogWords.read(memory, HOLDER) + 1;
    LogWords.publish(memory, HOLDER, holder);
  }

  private static byte[] contents(String name, long first) {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.nativeOrder());
    bytes.put(0, MAGIC);
    bytes.putInt(BYTE_ORDER, BYTE_ORDER_MARK);
    bytes.putInt(VERSION, VERSION_WRITTEN);
    bytes.putLong(LENGTH, name.length());
    bytes.put(NAME, name.getBytes(StandardCharsets.US_ASCII));
    int at = (int) at(1);
    bytes.putLong(at, 1);
    bytes.putLong(at + POSITION, first);
    bytes.putLong(at + RELEASED, first);
    bytes.putLong(at + CHECK, check(1, first, first));
    return bytes.array();
  }

  /** Returns the place of a reader, or null if no reader has the name. */
  static Place placeOf(LogFiles files, String name) throws IOException {
    try (LogFiles.Mapped mapped = files.observe(fileName(name))) {
      boolean isMade = mapped.memory().byteSize() > 0;
      return isMade ? new ReaderFile(files, name, mapped).place() : null;
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /**
   * Removes a reader's file. Returns false if there is none.
   *
   * @throws IllegalStateException if a living reader has the name
   */
  static boolean remove(LogFiles files, String name) throws IOException {
    try {
      if (!files.deleteUnheld(fileName(name))) {
        throw taken(files, name);
      }
      files.force();
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /**
   * Moves readers back that have released messages beyond the end of the log, before these numbers
   * are given out again. Otherwise the readers would miss the new messages. A reader that is just
   * being made moves itself back, for which this waits. One that has a later position nevertheless
   * has outlived the messages, and is left alone.
   */
  static void cutBack(LogFiles files, long end) throws IOException {
    for (String name : names(files)) {
      for (int tries = 0; tries < TRIES && !tryCutBack(files, name, end); tries++) {
        LockSupport.parkNanos(REST_NANOS);
      }
    }
  }

  /** Returns false if the reader would have to be moved back, but lives. */
  private static boolean tryCutBack(LogFiles files, String name, long end) throws IOException {
    try {
      Place place = placeOf(files, name);
      if (place == null || place.position <= end) {
        return true;
      }
      try (ReaderFile file = tryTake(files, name, end)) {
        if (file != null) {
          file.cutBack(end);
        }
        return file != null;
      }
    } catch (LogDamagedException e) {
      return true; // its reader will say so
    }
  }

  /** Records that the log ends at {@code end}, before what was released. */
  void cutBack(long end) {
    record(end, place().released);
  }

  private void checkHeader() {
    if (memory.byteSize() != BYTES) {
      throw damaged("size must be " + BYTES + " bytes: bytes=" + memory.byteSize());
    }
    boolean hasMagic = Arrays.equals(bytes(0, MAGIC.length), MAGIC);
    int order = memory.get(JAVA_INT, BYTE_ORDER);
    int version = memory.get(JAVA_INT, VERSION);
    if (!hasMagic || order != BYTE_ORDER_MARK || version != VERSION_WRITTEN) {
      throw damaged(
          "not the file of a reader of this version and byte order: version=%d, byteOrder=%x"
              .formatted(version, order));
    }
    String found = foundName();
    if (!found.equals(name)) {
      throw damaged("it belongs to another reader: name=" + Checks.shown(found));
    }
  }

  private String foundName() {
    long length = memory.get(JAVA_LONG, LENGTH);
    if (length < 0 || length > NAME_BYTES) {
      return "";
    }
    return new String(bytes(NAME, (int) length), StandardCharsets.US_ASCII);
  }

  /** Returns a copy of some bytes, which begin at a multiple of 8. */
  private byte[] bytes(int from, int count) {
    ByteBuffer words = ByteBuffer.allocate(BYTES).order(ByteOrder.nativeOrder());
    for (int at = 0; at < count; at += Long.BYTES) {
      words.putLong(memory.get(JAVA_LONG, from + at));
    }
    return Arrays.copyOf(words.array(), count);
  }

  private LogDamagedException damaged(String reason) {
    return new LogDamagedException(new LogDamage(file, 0, 0, 0, reason));
  }

  // ---- records ----

  private static long at(long turn) {
    return RECORD + (turn & 1) * NEXT_RECORD;
  }

  private static long check(long turn, long position, long released) {
    return mix(mix(mix(BYTE_ORDER_MARK, turn), position), released);
  }

  private static long mix(long hash, long word) {
    long mixed = (hash ^ word) * 0x9E37_79B9_7F4A_7C15L;
    return mixed ^ (mixed >>> 32);
  }

  /**
   * Returns the newest record.
   *
   * @throws LogDamagedException if none is whole
   */
  Place place() {
    for (int tries = 0; tries < TRIES; tries++) { // while the holder writes both in turns
      Place one = read(at(0));
      Place other = read(at(1));
      if (one != null || other != null) {
        return other == null || (one != null && one.turn > other.turn) ? one : other;
      }
    }
    throw damaged("no position in it is whole");
  }

  /** Reads a record. Returns null if it is not whole. */
  private Place read(long at) {
    long check = LogWords.read(memory, at + CHECK);
    long turn = LogWords.read(memory, at);
    long position = LogWords.read(memory, at + POSITION);
    long released = LogWords.read(memory, at + RELEASED);
    boolean isWhole =
        turn > 0
            && position >= 0
            && position <= released
            && at == at(turn)
            && check == check(turn, position, released);
    return isWhole ? new Place(turn, position, released) : null;
  }

  /**
   * Records that all messages before {@code position} are released.
   *
   * @throws IllegalStateException if another reader has taken the name
   */
  void record(long position) {
    if (LogWords.read(memory, HOLDER) != holder) {
      throw new IllegalStateException(
          "another reader has taken this name, because the lock of its file was lost: " + file);
    }
    record(position, position);
  }

  private void record(long position, long released) {
    turn++;
    long at = at(turn);
    LogWords.publish(memory, at, turn);
    LogWords.publish(memory, at + POSITION, position);
    LogWords.publish(memory, at + RELEASED, released);
    LogWords.publish(memory, at + CHECK, check(turn, position, released));
  }

  // ---- the end ----

  String name() {
    return name;
  }

  Path file() {
    return file;
  }

  /** Waits until the newest record is on the disk, and lets go of the file. */
  @Override
  public void close() {
    try (LogFiles.Mapped its = mapped) {
      its.force(0, BYTES);
    }
  }
}
