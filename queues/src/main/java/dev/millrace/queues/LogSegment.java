package dev.millrace.queues;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.core.internal.Speculative;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * A segment of a {@link MessageLog}: a file of messages and the index beside it, mapped. Each role
 * has an object of its own; readers may share the log's mapping.
 *
 * <pre>
 * header, twice: at 0, and in the last 64 bytes, for a page may be lost; in the machine's order
 *    0  magic         8  "MILLRLOG"
 *    8  byteOrder     4  0x01020304
 *   12  version       4  2
 *   16  segmentBytes  8
 *   24  firstNumber   8
 *   32  created       8  by the log's clock: no message before is later, none in it is earlier
 *   40  clock         8  what the clock said then, which may be less
 *   48  salt          4  in each checksum, so that a message in a message is not taken for one
 *   52  checksum      4  CRC-32C of bytes 0 to 51
 * marks: a position in the low half, its complement in the high one; 0 if there is none
 * 1024  sealed        8  where the segment ends; none while it is the last
 * 1152  durable       8  how far it is known to be on the disk
 * 1160  durableEnd    8  the number behind the last message up to there
 * 1168  ~durableEnd   8
 * 1176  complete      8  as sealed, once all and the index are known to be on the disk
 * 1280  opening       8  no position but a number: which opening for writing has the segment
 * 1288  closed        8  the opening that had it last, once that will never write it again
 *
 * messages, from 4096, each at a multiple of 8
 *    0  word          8  checksum in the high half, length + 1 in the low one; written last
 *    8  number        8
 *   16  type          4
 *   20  length        4  once more, under the checksum
 *   24  time          8
 *   32  bytes
 *
 * index: for each message an int, its position / 8; 0 for those that are not there
 * </pre>
 */
final class LogSegment implements AutoCloseable {
  static final int HEADER_BYTES = 4096;
  static final int MESSAGE_BYTES = 32;
  private static final int END_BYTES = 64; // of the second header
  private static final int UNIT_SHIFT = 3; // messages begin at multiples of 8

  /**
   * What a message's cells are to its {@link Message}, which has its time right before its bytes.
   */
  static final int CELLS = MESSAGE_BYTES - Message.TIME_BYTES;

  private static final String SUFFIX = ".log";
  private static final String INDEX_SUFFIX = ".index";
  private static final int DIGITS = 20;
  private static final Pattern NAME = Pattern.compile("\\d{20}\\.(log|index)");
  private static final Pattern SEGMENT = Pattern.compile("\\d{20}\\.log(\\..*)?");
  private static final Pattern ANY_NAME = Pattern.compile("\\d{20}\\.log(\\.aside\\d*)?");

  private static final byte[] MAGIC = "MILLRLOG".getBytes(StandardCharsets.US_ASCII);
  private static final int BYTE_ORDER_MARK = 0x01020304;
  private static final int VERSION = 2;
  private static final int CLOCK = 40;
  private static final int SALT = 48;
  private static final int CHECKSUM = 52;
  private static final int SEALED = 1024;
  private static final int DURABLE = 1152;
  private static final int COMPLETE = 1176;
  private static final int OPENING = 1280;
  private static final int CLOSED = 1288;
  private static final long MOST_OPENINGS = 0xFFFF_FFFFL; // that a mark can distinguish

  private static final int NUMBER = 8;
  private static final int TYPE = 16;
  private static final int LENGTH = 20;
  private static final int TIME = 24;

  private static final int COPIED = 256; // bytes that are checked in a copy
  private static final MemorySegment ZEROS = Arena.global().allocate(1 << 16);

  private final Mapping mapping;
  private final Header header;
  private final ByteBuffer buffer;
  private final CRC32C checksum = new CRC32C();
  private final byte[] copy = new byte[COPIED];
  private final int salt;
  private final MemorySegment positions; // null without an index
  private final long indexed; // how many messages the index has room for

  final Path file;
  final MemorySegment memory;
  final long segmentBytes; // as it was made
  final long bytes; // where messages end
  final boolean isCut; // the file is shorter than it was made
  final long first;
  final long created;
  final long clock;

  /** Where the part ends that the role has forced; for the role that does. */
  long forced;

  private LogSegment(Path file, Header header, Mapping mapping, MemorySegment memory) {
    this.file = file;
    this.header = header;
    this.mapping = mapping;
    this.memory = memory;
    this.segmentBytes = header.segmentBytes;
    this.isCut = memory.byteSize() < segmentBytes;
    this.bytes = Math.min(memory.byteSize() & -(1L << UNIT_SHIFT), segmentBytes - END_BYTES);
    this.first = header.first;
    this.created = header.created;
    this.clock = header.clock;
    this.salt = header.salt;
    this.buffer = memory.asByteBuffer();
    this.positions = mapping.index == null ? null : mapping.index.memory();
    this.indexed = positions == null ? 0 : positions.byteSize() / Integer.BYTES;
    this.forced = durable();
  }

  // ---- names ----

  static String name(long first) {
    return digits(first) + SUFFIX;
  }

  static String indexName(long first) {
    return digits(first) + INDEX_SUFFIX;
  }

  private static String digits(long first) {
    String digits = Long.toString(first);
    return "0".repeat(DIGITS - digits.length()) + digits;
  }

  /** How large the index of a segment is. */
  static long indexBytes(long segmentBytes) {
    return (segmentBytes - HEADER_BYTES - END_BYTES) / MESSAGE_BYTES * Integer.BYTES;
  }

  /** The first numbers of all segments, ascending. */
  static long[] firsts(List<String> names) {
    return numbers(names, SUFFIX);
  }

  /** The first numbers of all indexes, ascending. */
  static long[] indexFirsts(List<String> names) {
    return numbers(names, INDEX_SUFFIX);
  }

  private static long[] numbers(List<String> names, String suffix) {
    return names.stream()
        .filter(name -> name.endsWith(suffix) && NAME.matcher(name).matches())
        .filter(LogSegment::isBelowMost)
        .mapToLong(name -> Long.parseLong(name.substring(0, DIGITS)))
        .sorted()
        .toArray();
  }

  /**
   * The highest number that a segment is named after, or was before it was set aside as the first;
   * 0 for none.
   */
  static long lastFirst(List<String> names) {
    String last =
        names.stream()
            .filter(name -> ANY_NAME.matcher(name).matches() && isBelowMost(name))
            .max(Comparator.naturalOrder())
            .orElse(name(0));
    return Long.parseLong(last.substring(0, DIGITS));
  }

  private static boolean isBelowMost(String name) {
    return name.compareTo(digits(Long.MAX_VALUE)) < 0;
  }

  /** The name of the last segment; null if there is none. */
  static String lastName(List<String> names) {
    long[] firsts = firsts(names);
    return firsts.length == 0 ? null : name(firsts[firsts.length - 1]);
  }

  /** The names of the last segment, and of those that were set aside as that or later. */
  static List<String> lastNames(List<String> names) {
    String last = lastName(names);
    return names.stream()
        .filter(name -> SEGMENT.matcher(name).matches())
        .filter(name -> last == null || name.compareTo(last) >= 0)
        .toList();
  }

  // ---- making and opening ----

  /** What does not change. */
  record Header(long segmentBytes, long first, long created, long clock, int salt) {}

  /** The files of a segment in memory, until all who use them have closed them. */
  static final class Mapping {
    private final LogFiles.Mapped log;
    private final LogFiles.Mapped index; // null if there is none
    private int users = 1;

    Mapping(LogFiles.Mapped log, LogFiles.Mapped index) {
      this.log = log;
      this.index = index;
    }

    /** Takes the page faults of the first writes, each of which takes microseconds. */
    void touch() {
      for (LogFiles.Mapped mapped : List.of(log, index)) {
        mapped.touch(0, mapped.memory().byteSize());
      }
    }

    /** Adds a user; returns false if it is closed. */
    synchronized boolean share() {
      if (users == 0) {
        return false;
      }
      users++;
      return true;
    }

    synchronized void close() {
      users--;
      if (users == 0) {
        log.close();
        if (index != null) {
          index.close();
        }
      }
    }
  }

  /** Makes a segment of a spare one, which is not renamed yet. */
  static LogSegment begin(
      LogFiles files, Mapping spare, long first, long created, long clock, long opening, int salt) {
    MemorySegment memory = spare.log.memory();
    Header header = new Header(memory.byteSize(), first, created, clock, salt);
    for (long at : headers(memory)) {
      MemorySegment.copy(MAGIC, 0, memory, JAVA_BYTE, at, MAGIC.length);
      memory.set(JAVA_INT, at + 8, BYTE_ORDER_MARK);
      memory.set(JAVA_INT, at + 12, VERSION);
      memory.set(JAVA_LONG, at + 16, header.segmentBytes);
      memory.set(JAVA_LONG, at + 24, first);
      memory.set(JAVA_LONG, at + 32, created);
      memory.set(JAVA_LONG, at + CLOCK, clock);
      memory.set(JAVA_INT, at + SALT, salt);
      memory.set(JAVA_INT, at + CHECKSUM, checksumOfHeader(memory, at));
    }
    memory.set(JAVA_LONG, OPENING, mark(opening));
    return new LogSegment(files.path(name(first)), header, spare, memory);
  }

  /**
   * Copies the messages to a spare segment, which is not renamed yet. The copy is on the disk,
   * since all that it will replace may be, whatever the marks say.
   *
   * @param position where the messages end
   * @param end the number behind the last one
   */
  LogSegment copy(LogFiles files, Mapping spare, long position, long end, long opening) {
    LogSegment copy = begin(files, spare, first, created, clock, opening, salt);
    MemorySegment.copy(memory, HEADER_BYTES, copy.memory, HEADER_BYTES, position - HEADER_BYTES);
    MemorySegment.copy(positions, 0, copy.positions, 0, (end - first) << 2);
    copy.force(position);
    copy.markDurable(position, end);
    copy.forceMarks();
    return copy;
  }

  /** The same segment for a reader, in the same memory; null if it is closed. */
  LogSegment shared() {
    return mapping.share() ? new LogSegment(file, header, mapping, memory.asReadOnly()) : null;
  }

  /** Where the headers are. */
  private static long[] headers(MemorySegment memory) {
    return new long[] {0, (memory.byteSize() & -(1L << UNIT_SHIFT)) - END_BYTES};
  }

  private static int checksumOfHeader(MemorySegment memory, long at) {
    CRC32C checksum = new CRC32C();
    checksum.update(memory.asSlice(at, CHECKSUM).asByteBuffer());
    return (int) checksum.getValue();
  }

  /**
   * Opens a segment.
   *
   * @throws NoSuchFileException if there is none
   * @throws LogDamagedException if its header is damaged
   * @throws IOException if it was written by another version, or on another kind of machine
   */
  static LogSegment open(LogFiles files, long first, boolean isWritten) throws IOException {
    return open(files, first, indexName(first), isWritten);
  }

  /** The same, with the index of another name. */
  static LogSegment open(LogFiles files, long first, String indexName, boolean isWritten)
      throws IOException {
    Path file = files.path(name(first));
    LogFiles.Mapped log = files.map(name(first), isWritten);
    LogFiles.Mapped index = null;
    try {
      MemorySegment memory = log.memory();
      Header header = null;
      for (long at : headers(memory)) {
        if (header == null
            && isHeader(file, memory, at)
            && memory.get(JAVA_LONG, at + 24) == first) {
          header =
              new Header(
                  memory.get(JAVA_LONG, at + 16),
                  first,
                  memory.get(JAVA_LONG, at + 32),
                  memory.get(JAVA_LONG, at + CLOCK),
                  memory.get(JAVA_INT, at + SALT));
        }
      }
      if (header == null) {
        throw new LogDamagedException(new LogDamage(file, 0, first, 0, "header is damaged"));
      }
      index = openIndex(files, indexName, header.segmentBytes, isWritten);
      return new LogSegment(file, header, new Mapping(log, index), memory);
    } catch (IOException | RuntimeException e) {
      new Mapping(log, index).close();
      throw e;
    }
  }

  /**
   * Checks, after a segment was not found, that it was removed: then to go on is right. A name that
   * stays but leads to no file, such as a link to a disk that is not there, never would be found.
   */
  static void checkRemoved(LogFiles files, long first, NoSuchFileException notFound)
      throws IOException {
    if (Arrays.binarySearch(firsts(files.names()), first) >= 0) {
      try {
        open(files, first, false).close(); // the name now has another file
      } catch (NoSuchFileException e) {
        IOException failure =
            new IOException(files.path(name(first)) + ": the name leads to no file", notFound);
        failure.addSuppressed(e);
        throw failure;
      }
    }
  }

  private static boolean isHeader(Path file, MemorySegment memory, long at) throws IOException {
    if (memory.byteSize() < HEADER_BYTES
        || !Arrays.equals(memory.asSlice(at, MAGIC.length).toArray(JAVA_BYTE), MAGIC)) {
      return false;
    }
    int mark = memory.get(JAVA_INT, at + 8);
    int crc = memory.get(JAVA_INT, at + CHECKSUM);
    int actual = checksumOfHeader(memory, at);
    if (mark == Integer.reverseBytes(BYTE_ORDER_MARK) && Integer.reverseBytes(crc) == actual) {
      throw new IOException(
          file + ": byteOrder must be this machine's " + ByteOrder.nativeOrder() + ": the other");
    }
    if (crc == actual && memory.get(JAVA_INT, at + 12) != VERSION) {
      int version = memory.get(JAVA_INT, at + 12);
      throw new IOException(file + ": version must be " + VERSION + ": version=" + version);
    }
    long segmentBytes = memory.get(JAVA_LONG, at + 16);
    return crc == actual
        && mark == BYTE_ORDER_MARK
        && segmentBytes >= HEADER_BYTES + END_BYTES
        && segmentBytes <= LogOptions.MOST_BYTES;
  }

  private static LogFiles.Mapped openIndex(
      LogFiles files, String name, long segmentBytes, boolean isWritten) throws IOException {
    LogFiles.Mapped index;
    try {
      index = files.map(name, isWritten);
    } catch (NoSuchFileException e) {
      return null;
    }
    if (index.memory().byteSize() != indexBytes(segmentBytes)) {
      index.close();
      return null;
    }
    return index;
  }

  boolean hasIndex() {
    return positions != null;
  }

  @Override
  public void close() {
    mapping.close();
  }

  // ---- marks ----

  /** The opening that has a file, whatever else is in it; 0 if it says none. */
  static long opening(LogFiles files, String name) throws IOException {
    try (LogFiles.Mapped mapped = files.map(name, false)) {
      MemorySegment memory = mapped.memory();
      return memory.byteSize() < HEADER_BYTES ? 0 : opening(memory);
    }
  }

  private static long opening(MemorySegment memory) {
    return position(LogWords.readAgain(memory, OPENING), MOST_OPENINGS);
  }

  /**
   * Takes a file over from the opening that has it.
   *
   * @param least the least number that the new opening may have
   */
  static Taken takeOver(LogFiles files, String name, long least) throws IOException {
    LogFiles.Mapped mapped = files.map(name, true);
    MemorySegment memory = mapped.memory();
    if (memory.byteSize() < HEADER_BYTES) {
      return new Taken(mapped, least, 0); // it holds nothing
    }
    while (true) {
      long word = LogWords.readAgain(memory, OPENING);
      long before = position(word, MOST_OPENINGS);
      if (before == 0) {
        return new Taken(mapped, least, 0); // garbage: no opening finds its number there
      }
      long next = Math.max(least, before + 1);
      if (LogWords.exchange(memory, OPENING, word, mark(next))) {
        return new Taken(mapped, next, next);
      }
    }
  }

  /**
   * The segment that an opening has taken over, as long as it has none of its own.
   *
   * @param opening that has taken it
   * @param written its number as it is in the file; 0 if none is
   */
  record Taken(LogFiles.Mapped mapped, long opening, long written) implements AutoCloseable {
    /** The last opening that has taken it. */
    long last() {
      return written == 0 ? opening : LogSegment.opening(mapped.memory());
    }

    @Override
    public void close() {
      mapped.close();
    }
  }

  /** The opening that has the segment; 0 if it says none. */
  long opening() {
    return opening(memory);
  }

  /** Notes that an opening will never write the segment again. */
  void markClosed(long opening) {
    LogWords.publish(memory, CLOSED, mark(opening));
  }

  /** The opening that said last that it will never write the segment again; 0 if none did. */
  long closed() {
    return position(LogWords.read(memory, CLOSED), MOST_OPENINGS);
  }

  private static long mark(long position) {
    return (~position << Integer.SIZE) | position;
  }

  private static long position(long mark, long bytes) {
    long position = mark & 0xFFFF_FFFFL;
    return mark == mark(position) && position <= bytes ? position : 0;
  }

  /** Ends the segment, once the next one is there or there is none. */
  void seal(long position) {
    LogWords.publish(memory, SEALED, mark(position));
  }

  /** Where the segment ends; 0 if it is not sealed, or not known any more. */
  long sealed() {
    return position(LogWords.read(memory, SEALED), bytes);
  }

  /** Whether it was sealed, wherever. */
  boolean isSealed() {
    return LogWords.read(memory, SEALED) != 0;
  }

  /** Notes that the messages up to a position are on the disk: never before they are. */
  void markDurable(long position, long end) {
    memory.set(JAVA_LONG, DURABLE + 8, end);
    memory.set(JAVA_LONG, DURABLE + 16, ~end);
    memory.set(JAVA_LONG, DURABLE, mark(position));
  }

  /** How far it is known to be on the disk; 0 if nothing is. */
  long durable() {
    return isEndKnown() ? position(memory.get(JAVA_LONG, DURABLE), bytes) : 0;
  }

  /** The number behind the last message that was on the disk, even if the file was cut since. */
  long durableEnd() {
    return isEndKnown() ? memory.get(JAVA_LONG, DURABLE + 8) : first;
  }

  private boolean isEndKnown() {
    long end = memory.get(JAVA_LONG, DURABLE + 8);
    return end >= first && memory.get(JAVA_LONG, DURABLE + 16) == ~end;
  }

  /** Notes that all of a sealed segment is on the disk, and its index too: never before it is. */
  void markComplete(long position, long end) {
    markDurable(position, end);
    memory.set(JAVA_LONG, COMPLETE, mark(position));
  }

  /** Whether all of it, up to its end, is known to be on the disk, and its index too. */
  boolean isComplete() {
    long sealed = sealed();
    return sealed != 0
        && durable() == sealed
        && memory.get(JAVA_LONG, COMPLETE) == mark(sealed)
        && !isCut;
  }

  /** Makes dirty what is not known to be on the disk, since an earlier force may have failed. */
  void touch(long from, long to) {
    if (to > forced) {
      mapping.log.touch(Math.max(from, forced), to);
    }
  }

  /** The same for both headers, the marks, and the index, which no mark says are on the disk. */
  void touchHeadersAndIndex() {
    mapping.log.touch(0, HEADER_BYTES);
    mapping.log.touch(memory.byteSize() - END_BYTES, memory.byteSize());
    if (positions != null) {
      mapping.index.touch(0, positions.byteSize());
    }
  }

  /** Waits until what was written up to a position is on the disk, the header included. */
  void force(long to) {
    if (forced == 0) {
      mapping.log.force(memory.byteSize() - END_BYTES, memory.byteSize());
    }
    if (to > forced) {
      mapping.log.force(forced, to);
      forced = to;
    }
  }

  /** Waits until the marks are on the disk. */
  void forceMarks() {
    mapping.log.force(0, HEADER_BYTES);
  }

  void forceIndex() {
    if (positions != null) {
      mapping.index.force(0, positions.byteSize());
    }
  }

  // ---- messages ----

  /** How much room a message takes. */
  static long room(long length) {
    return (MESSAGE_BYTES + length + 7) & -8L;
  }

  /** The length of the message of a word that was found good. */
  static int length(long word) {
    return (int) word - 1;
  }

  long word(long position) {
    return LogWords.read(memory, position);
  }

  /** Whether there is room for a message without bytes, so that its word can be read. */
  boolean fits(long position) {
    return position <= bytes - MESSAGE_BYTES;
  }

  /** The word of the message that is written at a position, as far as it can be known by now. */
  long write(long position, long number, int type, int length, long time) {
    memory.set(JAVA_LONG, position + NUMBER, number);
    // type and length at once: the checksum reads them so, and waits where it meets two stores
    memory.set(JAVA_LONG, position + TYPE, typeAndLength(type, length));
    memory.set(JAVA_LONG, position + TIME, time);
    return ((long) checksum(position, length) << Integer.SIZE) | (length + 1);
  }

  private static long typeAndLength(int type, int length) {
    return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
        ? Integer.toUnsignedLong(type) | (long) length << Integer.SIZE
        : (long) type << Integer.SIZE | length;
  }

  private int checksum(long position, int length) {
    int count = MESSAGE_BYTES - NUMBER + length;
    checksum.reset();
    if (count <= COPIED) { // a copy is cheaper than what a buffer does to keep its memory alive
      MemorySegment.copy(memory, JAVA_BYTE, position + NUMBER, copy, 0, count);
      checksum.update(copy, 0, count);
    } else {
      int from = (int) position + NUMBER;
      checksum.update(buffer.limit(from + count).position(from));
    }
    return (int) checksum.getValue() ^ salt;
  }

  /** Whether a word is of a whole message with a number. Believes nothing that it reads. */
  boolean isWhole(long position, long word, long number) {
    int length = length(word);
    return length >= 0
        && length <= bytes - MESSAGE_BYTES - position
        && memory.get(JAVA_LONG, position + NUMBER) == number
        && memory.get(JAVA_INT, position + LENGTH) == length
        && checksum(position, length) == (int) (word >>> Integer.SIZE);
  }

  /** Whether the message with a number is whole at a position, which may be any. */
  boolean isAt(long position, long number) {
    if (position < HEADER_BYTES || !fits(position)) {
      return false;
    }
    long word = word(position);
    return word != 0 && isWhole(position, word, number);
  }

  /** Why {@link #isWhole} is false. */
  String reason(long position, long word, long number) {
    int length = length(word);
    if (word == 0) {
      return "message is missing";
    }
    if (length < 0 || length > bytes - MESSAGE_BYTES - position) {
      return "length must be within the segment: length=" + length;
    }
    long found = memory.get(JAVA_LONG, position + NUMBER);
    if (found != number) {
      return "number must be " + number + ": number=" + found;
    }
    int again = memory.get(JAVA_INT, position + LENGTH);
    return again != length
        ? "lengths must be the same: length=" + length + ", " + again
        : "checksum does not match";
  }

  int typeAt(long position) {
    return memory.get(JAVA_INT, position + TYPE);
  }

  long timeAt(long position) {
    return memory.get(JAVA_LONG, position + TIME);
  }

  long numberAt(long position) {
    return memory.get(JAVA_LONG, position + NUMBER);
  }

  /** The position behind a message that was found whole. */
  long behind(long position) {
    return position + room(length(word(position)));
  }

  /**
   * Finds the next whole message behind one that is damaged.
   *
   * @param position of the damaged one
   * @param number of the damaged one
   * @param limit where to stop
   * @return its position; negative if there is none
   */
  long resync(long position, long number, long limit) {
    long last = Math.min(limit, bytes) - MESSAGE_BYTES;
    for (long at = position + 8; at <= last; at += 8) {
      long word = memory.get(JAVA_LONG, at);
      if (length(word) >= 0 && length(word) <= last - at) {
        long skipped = numberAt(at) - number; // each takes some room
        if (skipped > 0
            && skipped <= (at - position) / MESSAGE_BYTES
            && isAt(at, number + skipped)) {
          return at;
        }
      }
    }
    return -1;
  }

  // ---- the index ----

  /** Notes where a message is. */
  void index(long number, long position) {
    positions.set(JAVA_INT, (number - first) << 2, (int) (position >>> UNIT_SHIFT));
  }

  /** Where a message is said to be; 0 if nothing is said. */
  @Speculative
  long indexed(long number) {
    long entry = number - first;
    return entry < 0 || entry >= indexed
        ? 0
        : (positions.get(JAVA_INT, entry << 2) & 0xFFFF_FFFFL) << UNIT_SHIFT;
  }

  /** Corrects the entry of a message. */
  void reindex(long number, long position) {
    if (indexed(number) != position) {
      index(number, position);
    }
  }

  /** Clears the entries from a number on. */
  void clearIndex(long number) {
    long from = (number - first) << 2;
    while (from < positions.byteSize()) {
      long at = firstNonZero(positions, from, positions.byteSize());
      if (at < 0) {
        return;
      }
      from = Math.min(positions.byteSize(), at + HEADER_BYTES);
      positions.asSlice(at, from - at).fill((byte) 0);
    }
  }

  /**
   * Finds a message: by the index if that is right, or else by going through the segment.
   *
   * @param number from that of the first message to the one behind the last
   * @return where it is, or is going to be; negative if it is not there
   */
  long find(long number) {
    if (number == first) {
      return HEADER_BYTES;
    }
    long position = indexed(number);
    if (isAt(position, number)) {
      return position;
    }
    position = indexed(number - 1);
    if (isAt(position, number - 1)) {
      return behind(position);
    }
    Walk walk = new Walk(HEADER_BYTES, first);
    while (walk.number < number && walk.goesOn()) {}
    return walk.number == number ? walk.position : -1;
  }

  /** Goes from message to message, over damaged ones too. */
  final class Walk {
    long position;
    long number;

    Walk(long position, long number) {
      this.position = position;
      this.number = number;
    }

    /** Goes behind the next whole message, or to the first whole one behind damage. */
    boolean goesOn() {
      long sealed = sealed();
      long limit = sealed == 0 ? bytes : sealed;
      if (position >= limit || !fits(position)) {
        return false;
      }
      if (isAt(position, number)) {
        position = behind(position);
        number++;
        return true;
      }
      if (sealed == 0 && position >= durable()) {
        return false; // nothing is there yet, or what is there was never finished
      }
      long next = resync(position, number, limit);
      if (next < 0) {
        return false;
      }
      position = next;
      number = numberAt(next);
      return true;
    }
  }

  /** Finds the number behind the last message that is there. */
  long end() {
    long low = first;
    long high = first + indexed;
    while (low < high) { // entries are written in order
      long middle = (low + high) >>> 1;
      if (indexed(middle) != 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    long known = low - 1;
    if (!isAt(indexed(known), known)) {
      known--; // an entry is written before the word of its message
    }
    boolean isKnown = isAt(indexed(known), known);
    Walk walk = isKnown ? new Walk(indexed(known), known) : new Walk(HEADER_BYTES, first);
    while (walk.goesOn()) {}
    return Math.max(walk.number, durableEnd());
  }

  /**
   * Finds the first message of a time or later by halving.
   *
   * @param end the number behind the last message to search
   * @return its number; the end if all are earlier
   */
  long firstSince(long time, long end) {
    long low = first;
    long high = end;
    while (low < high) {
      long middle = (low + high) >>> 1;
      long at = indexed(middle);
      if (!isAt(at, middle)) {
        return firstSinceByWalking(time, end);
      }
      if (timeAt(at) < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private long firstSinceByWalking(long time, long end) {
    Walk walk = new Walk(HEADER_BYTES, first);
    do {
      if (isAt(walk.position, walk.number) && timeAt(walk.position) >= time) {
        return walk.number;
      }
    } while (walk.goesOn() && walk.number < end);
    return end;
  }

  // ---- zeros ----

  /** Whether there is nothing in a file. */
  static boolean isEmpty(MemorySegment memory) {
    return firstNonZero(memory, 0, memory.byteSize()) < 0;
  }

  /** Whether there is nothing from a position on. */
  boolean isEmptyFrom(long position) {
    return firstNonZero(memory, position, bytes) < 0;
  }

  /** The offset of the first byte that is not zero; negative if there is none. */
  private static long firstNonZero(MemorySegment memory, long from, long to) {
    for (long at = from; at < to; at += ZEROS.byteSize()) {
      long count = Math.min(ZEROS.byteSize(), to - at);
      long mismatch = MemorySegment.mismatch(memory, at, at + count, ZEROS, 0, count);
      if (mismatch >= 0) {
        return at + mismatch;
      }
    }
    return -1;
  }

  /** Writes zeros. */
  void clear(long from, long to) {
    memory.asSlice(from, to - from).fill((byte) 0);
  }
}
