package dev.millrace.queues.log;

import dev.millrace.core.Measured;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.internal.LogAccess;
import dev.millrace.queues.internal.LogFiles;
import dev.millrace.queues.internal.LogWords;
import dev.millrace.queues.messages.MessageQueue;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * An append-only log of messages on disk. A message has a number, a time, a type and bytes, which
 * are written and read in place, in files that are mapped into memory.
 *
 * {@snippet file="Examples.java" region="log"}
 *
 * <p><b>Roles.</b> One process at a time has a directory open for writing, and its log has one
 * {@link LogProducer}, which belongs to one thread at a time; many producers reach it through a
 * {@link MessageQueue} or a pipeline. Any number of {@link LogReader}s, in any process, share only
 * the files with it and with each other. Any thread may sync, remove, close and query the log.
 *
 * <p><b>Numbers</b> count from 0, one by one. {@link #endNumber()} is one past the last committed
 * message, {@link #durableNumber()} one past the last known to be on disk. Times never go back.
 *
 * <p><b>Files.</b> A segment is a file of a fixed size, named after its first number, with an index
 * that finds a message by its number in one step. The next segment is made ahead, full of zeros, by
 * a thread of the log; so a full disk surfaces as an exception from the claim that needs a new
 * segment, never as a crash; appending can be retried once space is free. Whole segments are
 * removed, by size, by age or by {@link #removeBefore}; a reader that is in one continues to its
 * end.
 *
 * <p><b>Durability.</b> A commit is in the page cache: it survives the process, not the machine.
 * {@link #sync()} forces all that was committed to the disk, {@link LogOptions#withSync} makes the
 * log do so, and {@link #awaitDurable} waits for it: one force serves all waiting threads. After a
 * crash, every durable message is present, and of the others an unbroken prefix. A segment that is
 * full is always forced, in the background, so that opening a log needs to scan little more than
 * the last one.
 *
 * <p><b>Recovery.</b> Opening checks each message of the segments that may not be complete on the
 * disk. It reports damage in {@link #recovery()} and writes only over zeros; after a message that
 * is damaged it starts a new segment. A segment without any message is set aside, as a file whose
 * name ends in {@code .aside}. Opening forces what it has recovered, unless the options leave
 * syncing to {@link #sync()}: then the first call of {@code sync} does. The writer of a log that
 * was not closed may still be alive: then opening continues in a copy of the last segment, which is
 * forced and replaces that segment, or in a new segment if more than half of the last one is used.
 *
 * <p><b>Two writers.</b> A file named {@code lock} keeps a second process from opening the log for
 * writing. Such a lock can be lost: if the process that writes opens and closes that file, as
 * copying the directory does, or if someone deletes it. Then the later opening has the log, and the
 * earlier one fails when it next forces, begins a segment or closes, with the numbers of both
 * openings. Messages that it has reported as durable are kept; those that it has committed since
 * may be lost.
 *
 * <p><b>Failure.</b> Opening throws {@link IOException}; later failures of the file system are
 * {@link UncheckedIOException}s that name the path. After a failed force it is unknown what is on
 * the disk: from then on syncing, and claims that need a new segment, fail until the log is opened
 * again.
 *
 * <p><b>Cost.</b> A message takes its length plus {@value LogSegment#MESSAGE_BYTES} bytes, rounded
 * up to 8, and the index an eighth of the segments. An append takes a checksum and a few stores.
 * Allocates only when it starts a new segment.
 *
 * @since 0.1.0
 */
public final class MessageLog implements Measured, AutoCloseable {
  /*
   * Each lock is private to one class. A thread that needs several takes them in this order:
   *
   *   LogRetention    removing   removal of segments
   *   GroupCommit     syncing    who forces; not held during a force
   *   SegmentSupply   making     the spare segment
   *   LogKeeper       keeping    what the log's threads are to do
   *   LogSegments     monitor    which segments there are; never held while a file is written
   *
   * The producer takes the last four when a segment is full, and no lock otherwise. LogWords has
   * the words that roles share, and LogOpening says how openings of a log fence each other.
   */
  private static final List<String> COUNTERS = List.of("committed", "forces", "removedSegments");
  private static final List<String> GAUGES =
      List.of("firstNumber", "endNumber", "durableNumber", "segments", "bytes", "aheadOfClock");

  // Where each metric is read to: the counters and the gauges in their order.
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

  private final Object handOver = new Object(); // guards what one producer leaves to the next
  private boolean hasProducer;
  private long position; // of the next message, and its least time, while there is no producer
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
   * Opens a log for writing, and creates the directory if there is none.
   *
   * @param directory of this log alone
   * @param options size of segments, sync, retention, clock, and how readers wait
   * @return the log
   * @throws IOException if it is open for writing already, if the first segment cannot be made, or
   *     as the file system says
   */
  public static MessageLog open(Path directory, LogOptions options) throws IOException {
    Checks.notNull("directory", directory);
    Checks.notNull("options", options);
    MessageLog log = open(DiskFiles.make(directory), options);
    log.start();
    return log;
  }

  /** Opens a log without threads. */
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
      goOn(recovered);
      opening.letGo(); // the last segment has the number now
      boolean syncs = options.syncNanos() != WaitStrategy.FOREVER;
      if (syncs || segments.isAllForced()) {
        commit.force(syncs);
      } else {
        words.markDurable(recovered.tail().marks().durableEnd()); // the rest, in the background
      }
    } catch (IOException | RuntimeException e) {
      free();
      throw e;
    }
  }

  /** Goes on in the last segment, in a copy of it, or in a new one. */
  private void goOn(LogRecovery.Recovered recovered) throws IOException {
    LogSegment last = recovered.tail();
    long number = recovered.number();
    boolean isEmpty = last != null && number == last.first();
    boolean isOfSize = last != null && last.header().segmentBytes() == options.segmentBytes();
    if (recovered.isTailOwn() && (isOfSize || !isEmpty)) {
      return;
    }
    makeFirst(); // before the rest, so that a full disk changes nothing
    boolean isSmall = position <= options.segmentBytes() / 2 && files.canReplaceMapped();
    if (isEmpty || (last != null && isSmall)) {
      last.marks().seal(position); // so that readers leave it for the next of its name
      segments.replaceLast(supply.replace(last, position, number));
      return;
    }
    LogSegment next = roll(last, position, number, time, true);
    position = SegmentHeader.BYTES;
    time = next.header().created(); // or a message could be earlier, if the clock went back
  }

  /** Makes the first segment; if the disk is full, what need not be kept makes room. */
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
   * Checks each message of a log, which may be open, in this process or in another.
   *
   * @param directory of the log
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
   * What was found when the log was opened.
   *
   * @return the report
   */
  public LogReport recovery() {
    return recovery;
  }

  // ---- ends ----

  /**
   * Makes the producer, for one thread at a time.
   *
   * @return the producer
   * @throws IllegalStateException if there is one that is not closed, or the log is closed
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

  /** Takes note that there is no producer any more. */
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
   * @param full the one that is full; null if there is none
   * @param end where it ends
   * @param number of the message that comes next
   * @param least no message may be earlier
   * @param waits whether to make the segment if it is not there yet
   * @return the segment; null if it is not there yet
   */
  LogSegment roll(LogSegment full, long end, long number, long least, boolean waits) {
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

  /** Notes that the messages below a number are written. */
  void markWritten(long end) {
    words.markWritten(end);
  }

  void checkOpen() {
    opening.checkOpen();
  }

  boolean isClosed() {
    return opening.isClosed();
  }

  /** What the clock says. */
  long now() {
    return options.clock().getAsLong();
  }

  /**
   * Makes a reader that begins with the first message kept. It is drained when the log is closed
   * and all is read.
   *
   * @return the reader, which its user closes
   * @throws IllegalStateException if the log is closed
   */
  public LogReader newReader() {
    opening.checkOpen();
    return new LogReader(files, options.readerWaits(), segments);
  }

  // ---- numbers ----

  /**
   * The number of the first message that is kept.
   *
   * @return the number, which rises when segments are removed; {@link #endNumber()} if there is no
   *     message
   */
  public long firstNumber() {
    return segments.firstNumber();
  }

  /**
   * The number that the next message will have: all before it are committed.
   *
   * @return the number
   */
  public long endNumber() {
    return words.written();
  }

  /**
   * One past the last message known to be on disk; so are all before it.
   *
   * @return the number, at most {@link #endNumber()}
   */
  public long durableNumber() {
    return words.durable();
  }

  /**
   * The most bytes that a message can have: half a segment, less its header.
   *
   * @return bytes
   */
  public int maxLength() {
    return options.maxLength();
  }

  // ---- the disk ----

  /**
   * Forces all that is committed to the disk, and waits for it.
   *
   * @throws UncheckedIOException if that fails, or has failed before
   * @throws IllegalStateException if the log is closed
   */
  public void sync() {
    commit.sync();
  }

  /**
   * Waits until a message is on the disk. If the interval of {@link LogOptions#withSync} is zero,
   * one of the waiting threads forces for all; otherwise they wait until the interval is over, or
   * {@link #sync()} is called.
   *
   * @param number of the message
   * @param timeout how long to wait; zero or less does not
   * @return whether it is on the disk
   * @throws UncheckedIOException if a force fails, or has failed before
   * @throws IllegalStateException if the log is closed before or during the call
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public boolean awaitDurable(long number, Duration timeout) throws InterruptedException {
    return commit.awaitDurable(number, Checks.nanos("timeout", timeout));
  }

  /**
   * Removes the segments whose messages are all below a number; never the last segment.
   *
   * @param number the first message to keep; some before it are kept if they are in its segment
   * @return how many segments were removed
   * @throws UncheckedIOException if a file cannot be deleted, and the next call tries again; or if
   *     a force fails, or has failed before
   * @throws IllegalStateException if the log is closed
   */
  public int removeBefore(long number) {
    return retention.removeBefore(number);
  }

  // ---- metrics ----

  /**
   * {@inheritDoc} They are derived from what the log keeps anyway, so an append pays nothing for
   * them; reading takes time proportional to the number of segments, and never waits for the disk.
   *
   * <ul>
   *   <li>{@code committed}: messages since the log was opened
   *   <li>{@code forces}: how often the log has forced messages to the disk since then, one call of
   *       {@link #sync} or one interval each; one for full segments; one when it was opened
   *   <li>{@code removedSegments}: since then, by retention or {@link #removeBefore}
   *   <li>{@code firstNumber}, {@code endNumber}, {@code durableNumber}: see the methods of these
   *       names. What would be lost if the machine stopped now is from {@code durableNumber} to
   *       {@code endNumber}
   *   <li>{@code segments}, {@code bytes}: of the files, indexes included, but not the spare
   *       segment
   *   <li>{@code aheadOfClock}: by how much the time at which the last segment was begun is ahead
   *       of the clock, in its unit: 0, unless the clock was once wrong, or has restarted. Messages
   *       have that time until the clock reaches it
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

  /** {@inheritDoc} Allocates nothing. */
  @Override
  public void readMetrics(long[] values) {
    Objects.checkFromIndexSize(COUNTERS.size(), GAUGES.size(), values.length);
    long durable = durableNumber(); // before the end, which is never below it
    long end = endNumber();
    values[COMMITTED] = end - recovery.endNumber();
    values[END_NUMBER] = end;
    values[DURABLE_NUMBER] = durable;
    segments.readMetrics(values, now());
  }

  // ---- the end ----

  /**
   * Forces all that is committed to the disk, and closes the log; an open claim is lost. Stop the
   * producer first. Readers continue to the last message.
   *
   * @throws UncheckedIOException if not all can be forced to the disk; the log is closed
   *     nevertheless
   */
  @Override
  public void close() {
    if (opening.close()) {
      keeper.stop();
      retention.runLast(this::end);
    }
  }

  private void end() {
    try (Closeable _ = lock;
        Closeable _ = this::free) {
      commit.force(true); // the last force: from now on all others find the log closed
      LogSegment last = segments.current();
      last.marks().markClosed(opening.number());
      last.forceMarks(); // so that opening it again has little to scan
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Unmaps what is mapped, and deletes the spare segment. */
  private void free() {
    supply.close();
    segments.close();
  }

  /** Starts the log's threads, where the log was opened without. */
  void start() {
    keeper.start(files.directory());
  }

  /** Does what the log's threads do each time. */
  void work() {
    keeper.work();
  }

  /** What the log's thread does that makes segments ahead, until the log is closed. */
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
