package dev.millrace.queues.log;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.queues.internal.LogFiles;
import dev.millrace.queues.internal.LogWords;
import dev.millrace.queues.internal.MovableMessage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A segment of a {@link MessageLog}. It is a mapped file with messages between a {@link
 * SegmentHeader} and a copy of that header, and has {@link SegmentMarks} and a {@link
 * SegmentIndex}. Each role has an object of its own.
 *
 * <pre>
 * messages, from 4096, each at a multiple of 8
 *    0  word          8  checksum in the high half, length + 1 in the low one; written last
 *    8  number        8
 *   16  type          4
 *   20  length        4  once more, under the checksum
 *   24  time          8
 *   32  bytes
 * </pre>
 *
 * <p>The last message is followed by zeros, unless a claim is open there.
 */
final class LogSegment implements AutoCloseable {
  static final int MESSAGE_BYTES = 32;

  private static final int NUMBER = 8;
  private static final int TYPE = 16;
  private static final int LENGTH = 20;
  private static final int TIME = 24;

  private static final int COPIED = 256; // longest message that is checked in a copy

  private final Path file;
  private final SegmentHeader header;
  private final SegmentMapping mapping;
  private final MemorySegment memory;
  private final SegmentMarks marks;
  private final SegmentIndex index;
  private final long limit;
  private @Nullable ByteBuffer buffer; // for long messages; null until one is checked
  private final CRC32C checksum = new CRC32C();
  private final byte[] copy = new byte[COPIED];
  private long forced; // the end of the part that this role has forced

  private LogSegment(
      Path file, SegmentHeader header, SegmentMapping mapping, MemorySegment memory) {
    this.file = file;
    this.header = header;
    this.mapping = mapping;
    this.memory = memory;
    this.limit =
        Math.min(memory.byteSize() & -Long.BYTES, header.segmentBytes() - SegmentHeader.END_BYTES);
    this.marks = new SegmentMarks(memory, header.first(), limit);
    this.index = new SegmentIndex(mapping.indexMemory(), header.first());
    this.forced = marks.durable();
  }

  // ---- making and opening ----

  /** Makes a segment from {@code spare}, which is not renamed yet. */
  static LogSegment begin(
      LogFiles files, SegmentMapping spare, SegmentHeader header, long opening) {
    header.write(spare.memory());
    SegmentMarks.putOpening(spare.memory(), opening);
    Path file = files.path(SegmentNames.segment(header.first()));
    return new LogSegment(file, header, spare, spare.memory());
  }

  /**
   * Copies the messages to a spare segment, which is not renamed yet. The copy is forced to the
   * disk, because every message that it replaces may be durable, whatever the marks say.
   *
   * @param position where the messages end
   * @param end one past the number of the last message
   */
  LogSegment copy(LogFiles files, SegmentMapping spare, long position, long end, long opening) {
    SegmentHeader its =
        new SegmentHeader(
            spare.memory().byteSize(),
            header.first(),
            header.created(),
            header.clock(),
            header.salt());
    LogSegment made = begin(files, spare, its, opening);
    long from = SegmentHeader.BYTES;
    MemorySegment.copy(memory, from, made.memory, from, position - from);
    index.copyTo(made.index, end);
    made.force(position);
    made.marks.markDurable(position, end);
    made.forceMarks();
    return made;
  }

  /**
   * Returns an object for a reader of the same segment and memory, or null if the segment is
   * closed.
   */
  @Nullable LogSegment share() {
    return mapping.share() ? new LogSegment(file, header, mapping, memory.asReadOnly()) : null;
  }

  /**
   * Opens a segment.
   *
   * @throws NoSuchFileException if there is no such segment
   * @throws LogDamagedException if its header is damaged
   * @throws IOException if it was written by a different version, or on a different kind of machine
   */
  static LogSegment open(LogFiles files, long first, boolean isWritten) throws IOException {
    return open(files, first, SegmentNames.index(first), isWritten);
  }

  /** Opens a segment whose index has the name {@code indexName}. */
  static LogSegment open(LogFiles files, long first, String indexName, boolean isWritten)
      throws IOException {
    String name = SegmentNames.segment(first);
    Path file = files.path(name);
    LogFiles.Mapped log = files.map(name, isWritten);
    LogFiles.Mapped index = null;
    try {
      SegmentHeader header = SegmentHeader.read(file, log.memory(), first);
      index = SegmentIndex.map(files, indexName, header.segmentBytes(), isWritten);
      return new LogSegment(file, header, new SegmentMapping(log, index), log.memory());
    } catch (IOException | RuntimeException e) {
      new SegmentMapping(log, index).close();
      throw e;
    }
  }

  /**
   * Opens a segment for reading. Returns null if it was removed, in which case the caller may
   * continue.
   *
   * @throws IOException as for {@link #open}, and also if its name exists but leads to no file,
   *     such as a link to a disk that is not mounted. Otherwise the caller would look for it
   *     forever
   */
  static @Nullable LogSegment openIfThere(LogFiles files, long first) throws IOException {
    try {
      return open(files, first, false);
    } catch (NoSuchFileException notFound) {
      if (Arrays.binarySearch(SegmentNames.firsts(files.names()), first) < 0) {
        return null;
      }
      try {
        return open(files, first, false); // a different file has the name now
      } catch (NoSuchFileException e) {
        Path file = files.path(SegmentNames.segment(first));
        IOException failure = new IOException(file + ": the name leads to no file", notFound);
        failure.addSuppressed(e);
        throw failure;
      }
    }
  }

  @Override
  public void close() {
    mapping.close();
  }

  // ---- what it is ----

  Path file() {
    return file;
  }

  SegmentHeader header() {
    return header;
  }

  /** Returns the number of the first message. */
  long first() {
    return header.first();
  }

  MemorySegment memory() {
    return memory;
  }

  SegmentMarks marks() {
    return marks;
  }

  SegmentIndex index() {
    return index;
  }

  /** Returns the position that no message may pass. */
  long limit() {
    return limit;
  }

  /** Returns whether the file has become shorter than it was made. */
  boolean isCut() {
    return memory.byteSize() < header.segmentBytes();
  }

  /**
   * Returns whether the whole segment, up to its end, and its index are known to be on the disk.
   */
  boolean isComplete() {
    return marks.isComplete() && !isCut();
  }

  /** Returns whether there are only zeros after {@code position}. */
  boolean isEmptyFrom(long position) {
    return Zeros.firstOther(memory, position, limit) < 0;
  }

  // ---- the disk ----

  /** Returns the end of the part that this role or an earlier one has forced. */
  long forced() {
    return forced;
  }

  /**
   * Makes pages dirty that are not known to be on the disk, because an earlier force may have
   * failed.
   */
  void touch(long from, long to) {
    if (to > forced) {
      mapping.touch(Math.max(from, forced), to);
    }
  }

  /**
   * Makes both headers, the marks, and the index dirty, because no mark says that they are on the
   * disk.
   */
  void touchHeadersAndIndex() {
    mapping.touch(0, SegmentHeader.BYTES);
    mapping.touch(memory.byteSize() - SegmentHeader.END_BYTES, memory.byteSize());
    mapping.touchIndex();
  }

  /** Waits until everything written before {@code to} is on the disk, including the header. */
  void force(long to) {
    if (forced == 0) {
      mapping.force(memory.byteSize() - SegmentHeader.END_BYTES, memory.byteSize());
    }
    if (to > forced) {
      mapping.force(forced, to);
      forced = to;
    }
  }

  /** Waits until the marks are on the disk. */
  void forceMarks() {
    mapping.force(0, SegmentHeader.BYTES);
  }

  void forceIndex() {
    mapping.forceIndex();
  }

  // ---- writing ----

  /** Returns how much room a message of {@code length} bytes takes. */
  static long room(long length) {
    return (MESSAGE_BYTES + length + 7) & -8L;
  }

  /** Moves {@code view} onto the room of a message that is to be written. */
  void show(MovableMessage view, long position, int type, int length) {
    view.enter(position + MESSAGE_BYTES, type, length);
  }

  /** Adds a message whose bytes are already written. Linearizes its commit. */
  void append(long position, long number, int type, int length, long time) {
    memory.set(JAVA_LONG, position + NUMBER, number);
    // type and length in one store, because the checksum reads both at once and would wait for two
    // stores
    memory.set(JAVA_LONG, position + TYPE, typeAndLength(type, length));
    memory.set(JAVA_LONG, position + TIME, time);
    long word = ((long) checksum(position, length) << Integer.SIZE) | (length + 1);
    index.put(number, position);
    LogWords.publish(memory, position, word);
  }

  private static long typeAndLength(int type, int length) {
    return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
        ? Integer.toUnsignedLong(type) | (long) length << Integer.SIZE
        : (long) type << Integer.SIZE | length;
  }

  /**
   * Clears bytes {@code from} to {@code to} of an open claim, for messages that will not be
   * committed.
   */
  void clear(long position, long from, long to) {
    memory.asSlice(position + MESSAGE_BYTES + from, to - from).fill((byte) 0);
  }

  // ---- reading ----

  /** Returns the word of a message, which is 0 until the message is committed. */
  long word(long position) {
    return LogWords.read(memory, position);
  }

  /** Returns the length of the message that a valid {@code word} belongs to. */
  static int length(long word) {
    return (int) word - 1;
  }

  /** Returns whether there is room for a message without bytes, so that its word can be read. */
  boolean fits(long position) {
    return position <= limit - MESSAGE_BYTES;
  }

  private int checksum(long position, int length) {
    int count = MESSAGE_BYTES - NUMBER + length;
    checksum.reset();
    if (count <= COPIED) { // a copy costs less than keeping a buffer's memory alive
      MemorySegment.copy(memory, JAVA_BYTE, position + NUMBER, copy, 0, count);
      checksum.update(copy, 0, count);
    } else {
      int from = (int) position + NUMBER;
      checksum.update(buffer().limit(from + count).position(from));
    }
    return (int) checksum.getValue() ^ header.salt();
  }

  private ByteBuffer buffer() {
    if (buffer == null) {
      buffer = memory.asByteBuffer();
    }
    return buffer;
  }

  /**
   * Returns whether {@code word} belongs to a whole message with {@code number}. The method trusts
   * nothing that it reads.
   */
  boolean isWhole(long position, long word, long number) {
    int length = length(word);
    return length >= 0
        && length <= limit - MESSAGE_BYTES - position
        && memory.get(JAVA_LONG, position + NUMBER) == number
        && memory.get(JAVA_INT, position + LENGTH) == length
        && checksum(position, length) == (int) (word >>> Integer.SIZE);
  }

  /**
   * Returns whether the whole message with {@code number} is at {@code position}, which may be any
   * position.
   */
  boolean isAt(long position, long number) {
    return position >= SegmentHeader.BYTES && behindWhole(position, number) != 0;
  }

  /**
   * Returns the position after the message with {@code number} if that message is whole at {@code
   * position}, or 0 otherwise.
   */
  long behindWhole(long position, long number) {
    long word = fits(position) ? word(position) : 0;
    return word != 0 && isWhole(position, word, number) ? behind(position, word) : 0;
  }

  /** Returns the position after the message that a valid {@code word} belongs to. */
  static long behind(long position, long word) {
    return position + room(length(word));
  }

  /**
   * Returns where the index finds the whole message with {@code number}, or 0 if it does not find
   * it.
   */
  long indexed(long number) {
    long position = index.position(number); // read only once, because recovery may clear it
    return isAt(position, number) ? position : 0;
  }

  /** Returns why {@link #isWhole} is false. */
  String reason(long position, long word, long number) {
    int length = length(word);
    if (word == 0) {
      return "message is missing";
    }
    if (length < 0 || length > limit - MESSAGE_BYTES - position) {
      return "length is beyond the segment: length=" + length;
    }
    long found = numberAt(position);
    if (found != number) {
      return "number is not " + number + ": number=" + found;
    }
    int again = memory.get(JAVA_INT, position + LENGTH);
    return again != length
        ? "lengths differ: length=" + length + ", " + again
        : "checksum does not match";
  }

  // ---- messages that were found whole ----

  /** Moves {@code view} onto the message at {@code position}. */
  void show(MovableMessage view, long position) {
    show(view, position, memory.get(JAVA_INT, position + TYPE), length(word(position)));
  }

  long timeAt(long position) {
    return memory.get(JAVA_LONG, position + TIME);
  }

  long numberAt(long position) {
    return memory.get(JAVA_LONG, position + NUMBER);
  }

  /** Returns the length of the message at {@code position}. */
  int lengthAt(long position) {
    return length(word(position));
  }

  /** Returns the position after the message at {@code position}. */
  long behind(long position) {
    return behind(position, word(position));
  }
}
