package dev.millrace.queues.log;

import dev.millrace.core.Measured;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.internal.LogAccess;
import dev.millrace.queues.internal.LogFiles;
import dev.millrace.queues.internal.LogWords;
import dev.millrace.queues.internal.Transfers;
import dev.millrace.queues.messages.MessageQueue;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An append-only log of messages on disk. A message has a number, a time, a type and bytes.
 * Messages are written and read in place, in files that are mapped into memory.
 *
 * {@snippet file="Examples.java" region="log"}
 *
 * <p><b>Roles.</b> Only one {@code MessageLog} at a time can have a log open for writing. A {@code
 * MessageLog} has at most one open {@link LogProducer}, which belongs to one thread at a time. To
 * append from several threads, pass the messages through a {@link MessageQueue} or a pipeline.
 * There may be any number of {@link LogReader}s, in any process. A reader in another process shares
 * nothing with the log but the files. Any thread may query, sync and close the log, and remove
 * segments from it.
 *
 * <p><b>Numbers</b> count up from 0 without gaps. {@link #endNumber()} is one past the last
 * committed message. {@link #durableNumber()} is one past the last message known to be on disk. The
 * times of messages never go back.
 *
 * <p><b>Files.</b> Messages are stored in segments. A segment is a file of a fixed size, named
 * after the number of its first message. Each segment has an index that finds a message by number
 * in one step. A thread of the log makes the next segment ahead of time, and fills it with zeros.
 * If the disk is full, the claim that needs a new segment therefore throws an exception instead of
 * crashing the process, and can be retried once there is space. The log removes whole segments when
 * it exceeds its limits on size or age, or when {@link #removeBefore} is called. A reader in a
 * removed segment can still read to the end of that segment.
 *
 * <p><b>Durability.</b> A committed message is in the page cache, where it survives the end of the
 * process, but not a crash of the machine. {@link #sync()} forces all committed messages to the
 * disk. With {@link LogOptions#withSync}, the log also forces messages by itself, at the given
 * interval. {@link #awaitDurable} waits until a message is on the disk, and one force serves all
 * waiting threads. After a crash, every durable message is present, together with an unbroken
 * prefix of the later messages. The log always forces full segments in the background, so opening a
 * log scans little more than the last segment.
 *
 * <p><b>Recovery.</b> Opening a log checks each message in the segments that might be incomplete on
 * the disk, and reports damage in {@link #recovery()}. The log writes only over zeros, so it starts
 * a new segment after a damaged message. Opening sets aside two kinds of segment: a segment that
 * holds no message and cannot be used and, after a crash, a segment that follows an incomplete
 * segment. To set a segment aside, the log renames the segment's files to names that contain {@code
 * .aside}. With {@link LogOptions#withSync}, opening forces the recovered messages to the disk.
 * Without this option, the first call to {@link #sync()} forces the recovered messages. If a log
 * was not closed, its writer may still be alive, so opening does not append to the last segment.
 * Instead, if at most half of the last segment is used, the log copies that segment, forces the
 * copy, and replaces the segment with the copy. If more than half is used, or on Windows, the log
 * starts a new segment.
 *
 * <p><b>Two writers.</b> A file named {@code lock} keeps a second process from opening the log for
 * writing. The lock is lost if someone deletes the file. The lock can also be lost if the writing
 * process itself opens and closes the file, for example to copy the directory. Once the lock is
 * lost, a second process can open the log and take it over. In the first process, the log then
 * fails when it next forces messages, begins a segment or closes. Each opening of a log for writing
 * has a number, and the exception gives the numbers of both openings. Messages that the first
 * process has reported as durable are kept. Messages that the first process has committed but not
 * reported as durable may be lost.
 *
 * <p><b>Failure.</b> If the file system reports a failure, opening a log throws {@link
 * IOException}, and a call to an open log throws an {@link UncheckedIOException} that names the
 * path. After a failed force it is unknown what is on the disk. Until the log is opened again,
 * syncing fails, and so does every claim that needs a new segment.
 *
 * <p><b>Cost.</b> A message takes its length plus {@value LogSegment#MESSAGE_BYTES} bytes, rounded
 * up to a multiple of 8. The index adds an eighth of the segments' size. An append takes a checksum
 * and a few stores, and allocates only when it starts a new segment.
 *
 * @since 0.1.0
 */
public final class MessageLog implements Measured, AutoCloseable {
  /*
   * Each lock is private to one class. A thread that needs several takes them in this order:
   *
   *   LogRetention    removing   removal of segments
   *   GroupCommit     syncing    which thread forces; not held during a force
   *   SegmentSupply   making     the spare segment
   *   LogKeeper       keeping    the work for the log's threads
   *   LogSegments     monitor    which segments exist; never held while a file is written
   *
   * The producer takes the last four when a segment is full, and no lock otherwise. LogWords has
   * the words that roles share. LogOpening explains how openings of a log fence each other.
   */
  private static final List<String> COUNTERS = List.of("committed", "forces", "removedSegments");
  private static final List<String> GAUGES =
      List.of("firstNumber", "endNumber", "durableNumber", "segments", "bytes", "aheadOfClock");

  // The index of each metric in the array: the counters and then the gauges, in their order.
  static final int COMMITTED = 0;
  static final int FORCES = 1;
  static final int REMOVED_SEGMENTS = 2;
  static final int FIRST_NUMBER = 3;
  static final int END_NUMBER = 4;
  static final int DURABLE_NUMBER = 5;
  static final int SEGMENTS = 6;
  static final int BYTES = 7;
  static final int AHEAD_OF_CLOCK = 8;

  private final LogFiles files;
  private final LogOptions options;
  private final Closeable lock;
  private final LogReport recovery;
  private final LogOpening opening;
  private final LogWords words;
  private final LogSegments segments;
  private final GroupCommit commit;
  private final SegmentSupply supply;
  private final LogRetention retention;
  private final LogKeeper keeper;
  private final Transfers transfers = new Transfers(this);

  private final Object handOver = new Object(); // guards what producers leave to the next one
  private boolean hasProducer;
  private long position; // of the next message, with its least time, while there is no producer
  private long time;

  private MessageLog(
      LogFiles files,
      LogOptions options,
      Closeable lock,
      LogOpening opening,
      LogRecovery.Recovered recovered,
      LogWords words) {
    this.files = files;
    this.options = options;
    this.lock = lock;
    this.opening = opening;
    this.words = words;
    this.recovery = recovered.report();
    this.position = recovered.position();
    this.time = recovered.time();
    this.segments = new LogSegments(opening, recovered.segments(), recovered.tail());
    boolean isEager = options.syncNanos() == 0;
    this.commit = new GroupCommit(files, segments, opening, words, isEager);
    this.supply = new SegmentSupply(files, options, segments, opening);
    this.retention = new LogRetention(files, options, segments, opening, commit);
    this.keeper = new LogKeeper(options, supply, commit, retention, words);
    words.markWritten(recovered.number());
  }

  // ---- opening ----

  /**
   * Opens a log for writing, and creates the directory if it does not exist.
   *
   * @param directory the directory, which must belong to this log alone
   * @param options the size of segments, sync, retention, clock, and how readers wait
   * @return the log
   * @throws IOException if the log is already open for writing, if the first segment cannot be
   *     made, or if the file system reports a failure
   */
  public static MessageLog open(Path directory, LogOptions options) throws IOException {
    Checks.notNull("directory", directory);
    Checks.notNull("options", options);
    MessageLog log = open(DiskFiles.make(directory), options);
    log.start();
    return log;
  }

  /** Opens a log without starting its threads. */
  static MessageLog open(LogFiles files, LogOptions options) throws IOException {
    return open(files, options, new SegmentScanner(true), new LogWords());
  }

  static MessageLog open(LogFiles files, LogOptions options, SegmentScanner scanner, LogWords words)
      throws IOException {
    Closeable lock = files.lock();
    LogOpening opening = null;
    try {
      opening = LogOpening.takeOver(files);
      LogRecovery.Recovered recovered = new LogRecovery(files, opening, scanner).recover();
      MessageLog log = new MessageLog(files, options, lock, opening, recovered, words);
      log.begin(recovered);
      return log;
    } catch (UncheckedIOException e) {
      lock.close();
      throw e.getCause();
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    } finally {
      if (opening != null) {
        opening.letGo();
      }
    }
  }

  private void begin(LogRecovery.Recovered recovered) throws IOException {
    try {
      ReaderFile.cutBack(files, recovered.number()); // before these numbers are given out again
      goOn(recovered);
      opening.letGo(); // the last segment has the opening's number now
      boolean syncs = options.syncNanos() != WaitStrategy.FOREVER;
      if (syncs || segments.isAllForced()) {
        commit.force(syncs);
      } else {
        words.markDurable(recovered.tail().marks().durableEnd()); // the rest: in background
      }
    } catch (IOException | RuntimeException e) {
      free();
      throw e;
    }
  }

  /** Continues in the last segment, in a copy of it, or in a new one. */
  @SuppressWarnings("NullAway") // a call of roll that waits returns a segment
  private void goOn(LogRecovery.Recovered recovered) throws IOException {
    LogSegment last = recovered.tail();
    long number = recovered.number();
    boolean isEmpty = last != null && number == last.first();
    boolean isOfSize = last != null && last.header().segmentBytes() == options.segmentBytes();
    if (recovered.isTailOwn() && (isOfSize || !isEmpty)) {
      return;
    }
    makeFirst(); // first, so that a full disk changes nothing
    boolean isSmall = position <= options.segmentBytes() / 2 && files.canReplaceMapped();
    if (isEmpty || (last != null && isSmall)) {
      last.marks().seal(position); // so that readers leave it for its successor of the same name
      segments.replaceLast(supply.replace(last, position, number));
      return;
    }
    LogSegment next = roll(last, position, number, time, true);
    position = SegmentHeader.BYTES;
    time = next.header().created(); // otherwise a message could be earlier, if the clock went back
  }

  /**
   * Makes the first segment. If the disk is full, segments that need not be kept are removed to
   * make room.
   */
  private void makeFirst() throws IOException {
    try {
      supply.make();
    } catch (IOException e) {
      if (retention.removeUnkept(SegmentHeader.diskBytes(options.segmentBytes())) == 0) {
        throw e;
      }
      supply.make();
    }
  }

  /**
   * Checks every message of a log, which may be open in this process or in another.
   *
   * @param directory the directory of the log
   * @return what was found
   * @throws IOException if the directory or a file cannot be read
   */
  public static LogReport verify(Path directory) throws IOException {
    return verify(DiskFiles.of(Checks.notNull("directory", directory)));
  }

  static LogReport verify(LogFiles files) throws IOException {
    return new LogVerifier(files, new SegmentScanner(false)).verify();
  }

  /**
   * Returns what was found when the log was opened.
   *
   * @return the report
   */
  public LogReport recovery() {
    return recovery;
  }

  // ---- ends ----

  /**
   * Makes the producer. One thread at a time may use it.
   *
   * @return the producer
   * @throws IllegalStateException if there is a producer that is not closed, or the log is closed
   */
  public LogProducer newProducer() {
    opening.checkOpen();
    synchronized (handOver) {
      if (hasProducer) {
        throw new IllegalStateException("this log already has its one producer: " + this);
      }
      LogProducer producer =
          new LogProducer(this, segments.current(), position, words.written(), time);
      hasProducer = true;
      return producer;
    }
  }

  /** Notes that there is no producer any more. */
  void retire(long position, long time) {
    synchronized (handOver) {
      this.position = position;
      this.time = time;
      hasProducer = false;
    }
  }

  /**
   * Ends a segment that is full, and begins the next one, for the producer.
   *
   * @param full the full segment, or null if there is none
   * @param end the position where its messages end
   * @param number the number of the next message
   * @param least the earliest time that a message may have
   * @param waits whether to make the segment if it is not ready yet
   * @return the segment, or null if it is not ready yet
   */
  @Nullable LogSegment roll(
      @Nullable LogSegment full, long end, long number, long least, boolean waits) {
    commit.checkForced();
    LogSegment next;
    try {
      next = supply.begin(number, least, waits);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (next != null) {
      segments.add(next, full, end);
      keeper.wantForce();
    }
    return next;
  }

  /** Notes that the messages below the number {@code end} are written. */
  void markWritten(long end) {
    words.markWritten(end);
  }

  void checkOpen() {
    opening.checkOpen();
  }

  /** Returns the transfers of the producer's messages. */
  Transfers transfers() {
    return transfers;
  }

  boolean isClosed() {
    return opening.isClosed();
  }

  /** Returns the clock's time. */
  long now() {
    return options.clock().getAsLong();
  }

  /**
   * Makes a reader that starts at the oldest message still in the log. The reader is drained when
   * the log is closed and the reader has read every message.
   *
   * @return the reader, which the caller must close
   * @throws IllegalStateException if the log is closed
   */
  public LogReader newReader() {
    opening.checkOpen();
    return new LogReader(files, options.readerWaits(), segments);
  }

  // ---- named readers ----

  /**
   * Makes a reader with a name. The log's directory keeps the position that the reader last
   * released. If a reader had this name before, in any process, the new one continues where that
   * one last released, so messages that it had polled but not released come again. Otherwise the
   * reader starts at the oldest message still in the log. If messages from the position on were
   * removed, the reader counts them in {@link LogReader#lostCount()}.
   *
   * {@snippet file="Examples.java" region="log-named"}
   *
   * <p>A release takes a few stores to a mapped file, and allocates nothing. The position then
   * survives the end of the process, however it ends. A crash of the machine may lose the releases
   * that the system had not written to the disk, so that more messages come again. {@link #sync()}
   * does not force positions. {@link LogReader#close} does.
   *
   * <p>A crash may also take messages from the log that the reader had released. Opening the log
   * for writing moves such a reader back to the end of the log, since these numbers are given out
   * again. The reader's first poll throws a {@link LogDamagedException} that says how many messages
   * are gone, until you call {@link LogReader#skipDamaged} or move the reader.
   *
   * @param name the name, of 1 to 112 of the characters A-Z, a-z, 0-9, '.', '_' and '-'
   * @return the reader, which the caller must close
   * @throws IllegalArgumentException if the name is not one
   * @throws IllegalStateException if a living reader has the name, in any process, or the log is
   *     closed
   * @throws LogDamagedException if the file of the name is damaged. {@link #removeReader} removes
   *     it
   * @throws UncheckedIOException if the file of the name cannot be used
   */
  public LogReader newReader(String name) {
    opening.checkOpen();
    try {
      return LogReader.named(files, options.readerWaits(), segments, name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the names of all readers that the directory keeps a position of, living or not.
   *
   * @param directory the directory of the log
   * @return the names, in order
   * @throws IOException if the directory cannot be read
   */
  public static List<String> readerNames(Path directory) throws IOException {
    return ReaderFile.names(DiskFiles.of(Checks.notNull("directory", directory)));
  }

  /**
   * Returns where a named reader last released: it has handled all messages with smaller numbers.
   * {@link #endNumber()} minus this number is how far it is behind. Any process can ask.
   *
   * @param directory the directory of the log
   * @param name the reader's name
   * @return the number from which the reader would continue; -1 if no reader has the name
   * @throws IllegalArgumentException if the name is not one
   * @throws IOException if the directory or the file of the name cannot be read
   * @throws LogDamagedException if the file of the name is damaged
   */
  public static long releasedBy(Path directory, String name) throws IOException {
    return releasedBy(DiskFiles.of(Checks.notNull("directory", directory)), name);
  }

  static long releasedBy(LogFiles files, String name) throws IOException {
    ReaderFile.Place place = ReaderFile.placeOf(files, name);
    return place == null ? -1 : place.position();
  }

  /**
   * Removes the name of a reader, and its position. A reader with the same name then starts at the
   * oldest message still in the log.
   *
   * @param directory the directory of the log
   * @param name the reader's name
   * @return whether there was such a name
   * @throws IllegalArgumentException if the name is not one
   * @throws IllegalStateException if a living reader has the name, in any process
   * @throws IOException if the file of the name cannot be deleted
   */
  public static boolean removeReader(Path directory, String name) throws IOException {
    return ReaderFile.remove(DiskFiles.of(Checks.notNull("directory", directory)), name);
  }

  // ---- numbers ----

  /**
   * Returns the number of the oldest message still in the log.
   *
   * @return the number, which rises when segments are removed, or {@link #endNumber()} if there is
   *     no message
   */
  public long firstNumber() {
    return segments.firstNumber();
  }

  /**
   * Returns the number that the next message will have. All messages with lower numbers are
   * committed.
   *
   * @return the number
   */
  public long endNumber() {
    return words.written();
  }

  /**
   * Returns one past the number of the last message known to be on disk. All earlier messages are
   * on disk, too.
   *
   * @return the number, at most {@link #endNumber()}
   */
  public long durableNumber() {
    return words.durable();
  }

  /**
   * Returns the length of the longest message that the log accepts: half the size of a segment,
   * minus a message's header.
   *
   * @return the length in bytes
   */
  public int maxLength() {
    return options.maxLength();
  }

  // ---- the disk ----

  /**
   * Forces all committed messages to the disk, and waits until they have reached it.
   *
   * @throws UncheckedIOException if a force fails, or one has already failed
   * @throws IllegalStateException if the log is closed
   */
  public void sync() {
    commit.sync();
  }

  /**
   * Waits until a message is on the disk. If the interval of {@link LogOptions#withSync} is zero,
   * one waiting thread forces the messages to the disk for all waiting threads. With any other
   * interval, the threads wait until the messages are forced: by the log once the interval has
   * passed or the segment is full, or by a thread that calls {@link #sync()}.
   *
   * @param number the number of the message
   * @param timeout how long to wait; with zero or less, the call does not wait
   * @return whether the message is on the disk
   * @throws UncheckedIOException if a force fails, or one has already failed
   * @throws IllegalStateException if the log is closed before or during the call
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public boolean awaitDurable(long number, Duration timeout) throws InterruptedException {
    return commit.awaitDurable(number, Checks.nanos("timeout", timeout));
  }

  /**
   * Removes the segments whose messages are all below a number. The last segment is never removed.
   *
   * @param number the first message to keep. Earlier messages in the same segment are kept as well
   * @return how many segments were removed
   * @throws UncheckedIOException if a file cannot be deleted, or if a force fails or has already
   *     failed. The next call tries again to delete the file
   * @throws IllegalStateException if the log is closed
   */
  public int removeBefore(long number) {
    return retention.removeBefore(number);
  }

  // ---- metrics ----

  /**
   * {@inheritDoc} The numbers are derived from data that the log keeps anyway, so they add nothing
   * to the cost of an append. Reading the numbers takes time proportional to the number of
   * segments, and never waits for the disk.
   *
   * <ul>
   *   <li>{@code committed}: messages committed since the log was opened
   *   <li>{@code forces}: how often the log has forced messages to the disk since it was opened. A
   *       force counts once, however many messages or segments it covers. A call that finds nothing
   *       to force does not count
   *   <li>{@code removedSegments}: segments removed since the log was opened, by retention or
   *       {@link #removeBefore}
   *   <li>{@code firstNumber}, {@code endNumber}, {@code durableNumber}: see the methods with the
   *       same names. If the machine crashed now, the messages from {@code durableNumber} to {@code
   *       endNumber} - 1 could be lost
   *   <li>{@code segments}, {@code bytes}: the number and size of the files, including indexes, but
   *       not the spare segment
   *   <li>{@code aheadOfClock}: how far the start time of the last segment is ahead of the clock,
   *       in the clock's unit. The value is 0 unless the clock was once wrong or has restarted.
   *       Until the clock reaches the start time of the last segment, new messages are stamped with
   *       that start time
   * </ul>
   */
  @Override
  public List<String> counters() {
    return COUNTERS;
  }

  /** {@inheritDoc} See {@link #counters}. */
  @Override
  public List<String> gauges() {
    return GAUGES;
  }

  /** {@inheritDoc} The call allocates nothing. */
  @Override
  public void readMetrics(long[] values) {
    Objects.checkFromIndexSize(COUNTERS.size(), GAUGES.size(), values.length);
    long durable = durableNumber(); // read before the end, which is never below it
    long end = endNumber();
    values[COMMITTED] = end - recovery.endNumber();
    values[END_NUMBER] = end;
    values[DURABLE_NUMBER] = durable;
    segments.readMetrics(values, now());
  }

  // ---- the end ----

  /**
   * Forces all committed messages to the disk, and closes the log. An open claim is lost, so stop
   * the producer first. If the producer's thread is in {@link
   * dev.millrace.queues.messages.Message#readFrom Message.readFrom} or {@code writeTo}, closing the
   * log closes the channel, and the thread gets an {@link IllegalStateException}. Readers can still
   * read all remaining messages, including the last one.
   *
   * @throws UncheckedIOException if something cannot be forced to the disk. The log is closed
   *     nevertheless
   */
  @Override
  public void close() {
    if (opening.close()) {
      transfers.endAll(); // or the memory could not be unmapped
      keeper.stop();
      retention.runLast(this::end);
    }
  }

  private void end() {
    try (Closeable _ = lock;
        Closeable _ = this::free) {
      commit.force(true); // the last force: all later calls find the log closed
      LogSegment last = segments.current();
      last.marks().markClosed(opening.number());
      last.forceMarks(); // so that opening it again has little to scan
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Unmaps all files, and deletes the spare segment. */
  private void free() {
    supply.close();
    segments.close();
  }

  /** Starts the threads of a log that was opened without them. */
  void start() {
    keeper.start(files.directory());
  }

  /** Does what the log's threads do in each round. */
  void work() {
    keeper.work();
  }

  /** Makes segments ahead until the log is closed. This is the body of one of the log's threads. */
  void makeSegments() {
    supply.run();
  }

  /** Returns the directory. */
  @Override
  public String toString() {
    return opening.toString();
  }

  static {
    LogAccess.SECRET.share(new LogSecrets());
  }
}
