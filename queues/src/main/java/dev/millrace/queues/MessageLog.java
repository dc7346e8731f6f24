package dev.millrace.queues;

import dev.millrace.core.Measured;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Lifecycle;
import dev.millrace.core.internal.Rest;
import dev.millrace.flyweight.internal.Checks;
import java.io.Closeable;
import java.io.IOException;
import java.io.Serial;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * An append-only log of messages on disk. A message has a number, a time, a type and bytes, which
 * are written and read in place, in files that are mapped into memory.
 *
 * {@snippet class=dev.millrace.queues.Snippets region="log"}
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
 * beside it that finds a message by its number in one step. The next segment is made ahead, full of
 * zeros, by a thread of the log; so a full disk surfaces as an exception from the claim that needs
 * a new segment, never as a crash; appending can be retried once space is free. Whole segments are
 * removed, by bytes, by age or by {@link #removeBefore}; a reader that is in one goes on to its
 * end.
 *
 * <p><b>Durability.</b> A commit is in the page cache: it survives the process, not the machine.
 * {@link #sync()} puts all that was committed on the disk, {@link LogOptions#withSync} has the log
 * do so, and {@link #awaitDurable} waits for it: one force serves all waiting threads. After a
 * crash, every durable message is present, and of the others an unbroken prefix. A segment that is
 * full is always forced, in the background, so that opening a log needs to scan little more than
 * the last one.
 *
 * <p><b>Recovery.</b> Opening checks each message of the segments that may not be complete on the
 * disk. It reports damage in {@link #recovery()} and writes only over zeros; after a message that
 * is damaged it starts a new segment. A segment without any message is set aside, as a file whose
 * name ends in {@code .aside}. Opening forces what it has recovered, unless the options leave
 * syncing to {@link #sync()}: then the first call of that does. After a log that was not closed,
 * whose writer may be alive, it continues in a copy of the last segment, which is forced and takes
 * the place of that one; or in a new segment if more than half of it is used.
 *
 * <p><b>Two writers.</b> A file named {@code lock} keeps a second process from opening the log for
 * writing. Such a lock can be lost: if the process that writes opens and closes that file, as a
 * copy of the directory does, or somebody deletes it. Then the later opening has the log, and the
 * earlier one fails when it next forces, begins a segment or closes, with the numbers of both
 * openings. What it was told is durable is kept; what it has committed since may be lost.
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
   * Locks, in the order in which a thread that needs several takes them:
   *
   *   removing   removal of segments
   *   syncing    isForcing; not held during a force
   *   making     the spare segment
   *   keeping    what the log's threads are to do
   *   state      the monitor of the fields below it; never held while a file is written
   *
   * The thread that has set isForcing forces and marks; others wait for it. One force serves all
   * that wait, except for what was committed after it began: then one of them forces next.
   *
   * The producer takes making, keeping and state when a segment is full, and no lock otherwise.
   * LogWords has the words that it shares with others.
   *
   * A segment's life: spare (zeros, under a name of its own), current (renamed, header written,
   * not forced), sealed (unforced), complete (forced, index too; marked; the newest of them, of
   * MOST_MAPPED bytes at most, are still mapped).
   *
   * The lock of the file system keeps others from writing the log, but it can be lost without
   * notice: POSIX gives it up when the process closes any descriptor of the file, as after a copy
   * of the directory; and once the file is removed another can be locked. So the lock only refuses,
   * and openings fence. Each has a number, which is in the header of the segment that it appends
   * to. That is memory of the file itself, so both openings have the same word, whatever became
   * of names and paths. The later one, L, and the earlier one, E:
   *
   *   L  writes its number into the last segment
   *   L  deletes what earlier openings make, or begin, under names of their own
   *   L  lists the names: if there is another last segment, it does all that again
   *   L  scans and seals what it finds, and appends to a segment of its own
   *
   *   E  beginning a segment: takes the spare under a name of its own; compares; renames
   *   E  forcing: forces; compares; only then says that the messages are durable
   *
   * Force: if E finds its own number, L had not yet written its number, and so it scans after the
   * messages were written. Begin: E's rename finds its file only if E gave it that name after L
   * had deleted such names, and then E compares after L wrote its number; or else E has renamed
   * before L lists the names, and L takes over that segment too. What E has committed and not
   * forced when L scans may be lost, and E learns it at its next comparison.
   *
   * L appends to the segment of E only if E has marked it as closed: E may write there as long
   * as it lives. Otherwise L seals it and goes on in the next one, or, if it is small, in a copy
   * under the same name, which it begins as any segment: so what L lists has to be the file in
   * which it wrote, not only its name. The copy is forced before it has the name, since what was
   * durable is in it, and no mark says how much that is: marks may be lost in a crash.
   * A reader at the end of a sealed segment that is the last opens its name again.
   */
  private static final List<String> COUNTERS = List.of("committed", "forces", "removedSegments");
  private static final List<String> GAUGES =
      List.of("firstNumber", "endNumber", "durableNumber", "segments", "bytes", "aheadOfClock");

  /** Before the names of files that only this class, as it was loaded here, writes. */
  private static final String OWN = "%016x.".formatted(new SecureRandom().nextLong());

  static final String SPARE = OWN + "spare.log"; // while it is made, or begun
  static final String SPARE_INDEX = OWN + "spare.index";
  private static final String READY = OWN + "ready.log"; // while it waits
  static final String READY_INDEX = OWN + "ready.index";

  /** The names of what any opening has made, and not begun. */
  static final Pattern MADE = Pattern.compile("[0-9a-f]{16}\\.(spare|ready)\\.(log|index)");

  private static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(1); // between checks of ages

  /** How many bytes of full segments stay mapped for readers. */
  private static final long MOST_MAPPED = 1L << 26;

  private static final long LEAST_SYNC_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** A segment of the log; when it was begun by the log's time, and what the clock said then. */
  record Entry(long first, long created, long clock, long segmentBytes) {
    long bytes() {
      return segmentBytes + LogSegment.indexBytes(segmentBytes);
    }
  }

  private record Sealed(LogSegment segment, long position, long end) {}

  /** Of a log that another opening has taken over, or whose directory has another's name. */
  private static final class LostException extends IOException {
    @Serial private static final long serialVersionUID = 1;

    LostException(String message) {
      super(message);
    }
  }

  final LogFiles files;
  final LogOptions options;
  final LogWords words = new LogWords();
  final Lifecycle lifecycle = new Lifecycle();
  private final LogReport recovery;
  private final long opening; // its number
  private LogSegment.Taken taken; // null once it has a segment of its own
  private final Closeable lock;

  private final ReentrantLock removing = new ReentrantLock();
  private final ReentrantLock syncing = new ReentrantLock();
  private final Condition forced = syncing.newCondition(); // a force has ended
  private boolean isForcing;
  private final ReentrantLock making = new ReentrantLock();
  private LogSegment.Mapping spare; // null while there is none
  private String spareIndex = SPARE_INDEX; // or READY, or what a roll that failed has named it
  private boolean isReady; // whether the spare segment has that name
  private Throwable spareFailure; // when it was last made ahead

  private final Object state = new Object();
  private final List<Entry> entries;
  private final List<Sealed> unforced = new ArrayList<>();
  private final ArrayDeque<Sealed> complete = new ArrayDeque<>(); // those that are mapped
  private long lastCreated; // when the last one was begun, by the log's time
  private LogSegment current; // null before the first, and once the log is closed
  private Throwable failure; // of a force
  private boolean namesUnforced = true;
  private long forces;
  private long removedSegments;
  private boolean hasProducer;
  private long position; // of the next message, and its least time, while there is no producer
  private long time;

  private final ReentrantLock keeping = new ReentrantLock();
  private final Condition wanted = keeping.newCondition();
  private boolean isSpareWanted = true;
  private boolean isForceWanted = true; // of what is full; at first, to check the limits
  private boolean isStopped;
  private long syncedNanos = System.nanoTime(); // when the keeper has synced last; its own
  private List<Thread> threads = List.of(); // none in tests that do their work themselves

  private MessageLog(LogFiles files, LogOptions options, Closeable lock, LogRecovery recovered)
      throws IOException {
    this.files = files;
    this.options = options;
    this.lock = lock;
    this.entries = recovered.entries;
    this.recovery = recovered.report();
    this.current = recovered.tail;
    this.lastCreated = current == null ? Long.MIN_VALUE : current.created;
    this.position = recovered.position;
    this.time = recovered.time;
    this.opening = recovered.opening;
    this.taken = recovered.taken;
    words.written(recovered.number);
    try {
      begin(recovered);
      taken = null; // the last segment has the number now
      boolean syncs = options.syncNanos() != WaitStrategy.FOREVER;
      if (syncs || unforced.isEmpty()) {
        force(syncs);
      } else {
        words.durable(recovered.tail.durableEnd()); // the rest is forced in the background
      }
    } catch (UncheckedIOException e) {
      free();
      throw e.getCause();
    } catch (IOException | RuntimeException e) {
      free();
      throw e;
    }
  }

  /** Goes on in the last segment, in a copy of it, or in a new one. */
  private void begin(LogRecovery recovered) throws IOException {
    LogSegment last = current;
    long number = recovered.number;
    boolean isEmpty = last != null && number == last.first;
    if (last != null && recovered.isTailOwn && !(isEmpty && hasOtherSize(last))) {
      return;
    }
    spare = makeFirst(); // before the rest, so that a full disk changes nothing
    boolean isSmall = position <= options.segmentBytes() / 2 && files.replacesMapped();
    if (isEmpty || (last != null && isSmall)) {
      replace(last, number);
      return;
    }
    roll(last, position, number, time, true);
    position = LogSegment.HEADER_BYTES;
    time = current.created; // or a message could be earlier, if the clock went back
  }

  /** Makes the first segment; if the disk is full, what need not be kept makes room. */
  private LogSegment.Mapping makeFirst() throws IOException {
    try {
      return makeSpare();
    } catch (IOException e) {
      long bytes = options.segmentBytes() + LogSegment.indexBytes(options.segmentBytes());
      long most = options.retainBytes();
      int removed = remove(0, most == Long.MAX_VALUE ? most : most - bytes, leastTime());
      if (removed == 0) {
        throw e;
      }
      return makeSpare();
    }
  }

  /** Goes on in a copy of the last segment, under its name. */
  private void replace(LogSegment last, long number) throws IOException {
    last.seal(position); // so that readers leave it for the next of its name
    LogSegment copy = last.copy(files, spare, position, number, opening);
    checkOpening(); // behind the name that the copy has now
    files.rename(SPARE_INDEX, LogSegment.indexName(last.first));
    files.rename(SPARE, LogSegment.name(last.first));
    spare = null;
    synchronized (state) {
      Entry its = entries.removeLast();
      entries.add(new Entry(its.first, its.created, its.clock, copy.segmentBytes));
      current = copy;
    }
    last.close();
  }

  private boolean hasOtherSize(LogSegment segment) {
    return segment.segmentBytes != options.segmentBytes();
  }

  // ---- opening ----

  /**
   * Opens a log for writing, and makes the directory if there is none.
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
    LogFiles files = DiskFiles.make(directory);
    MessageLog log = open(files, options, new LogRecovery(files, true));
    log.start();
    return log;
  }

  /** Opens a log without a keeper. */
  static MessageLog open(LogFiles files, LogOptions options, LogRecovery recovery)
      throws IOException {
    Closeable lock = files.lock();
    try {
      recovery.recover();
      return new MessageLog(files, options, lock, recovery);
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    } finally {
      recovery.letGo();
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
    LogRecovery recovery = new LogRecovery(files, false);
    recovery.verify();
    return recovery.report();
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
   * Makes the end at which messages are appended, for one thread at a time.
   *
   * @return the producer
   * @throws IllegalStateException if there is one that is not closed, or the log is closed
   */
  public LogProducer newProducer() {
    checkOpen();
    synchronized (state) {
      if (hasProducer) {
        throw new IllegalStateException("log must have one producer: it was made, " + this);
      }
      hasProducer = true;
      return new LogProducer(this, current, position, words.written(), time);
    }
  }

  /** Takes note that there is no producer any more. */
  void retire(long position, long time) {
    synchronized (state) {
      this.position = position;
      this.time = time;
      hasProducer = false;
    }
  }

  /**
   * Makes a reader that begins with the first message kept. It is drained when the log is closed
   * and all is read.
   *
   * @return the reader, which its user closes
   * @throws IllegalStateException if the log is closed
   */
  public LogReader newReader() {
    checkOpen();
    return new LogReader(files, options.readerWaits(), this);
  }

  /** A segment for a reader, if the log has it mapped; else null. */
  LogSegment shared(long first) {
    synchronized (state) {
      if (lifecycle.isCompleted()) {
        return null; // another log may replace it
      }
      if (current.first == first) {
        return current.isSealed() ? null : current.shared(); // or a later opening has replaced it
      }
      return Stream.concat(unforced.stream(), complete.stream())
          .map(Sealed::segment)
          .filter(segment -> segment.first == first)
          .findFirst()
          .map(LogSegment::shared)
          .orElse(null);
    }
  }

  /** Whether a segment is the one that the log appends to. */
  boolean isWriting(long first) {
    synchronized (state) {
      return current != null && current.first == first;
    }
  }

  void checkOpen() {
    if (lifecycle.isCompleted()) {
      throw new IllegalStateException("log must be open: closed, " + this);
    }
  }

  // ---- numbers ----

  /**
   * The number of the first message that is kept.
   *
   * @return the number, which rises when segments are removed; {@link #endNumber()} if there is no
   *     message
   */
  public long firstNumber() {
    synchronized (state) {
      return entries.getFirst().first;
    }
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

  // ---- segments ----

  /**
   * Begins the next segment, and ends the one before.
   *
   * @param full the one that is full; null if there is none
   * @param end where it ends
   * @param number of the message that comes next
   * @param least no message may be earlier
   * @param waits whether to make the segment if it is not there yet
   * @return the segment; null if it is not there yet
   */
  LogSegment roll(LogSegment full, long end, long number, long least, boolean waits) {
    checkForced();
    if (waits) {
      making.lock();
    } else if (!making.tryLock()) {
      return null;
    }
    LogSegment next;
    try {
      if (spare == null) {
        if (!waits) {
          want(false);
          Throwable failed = spareFailure;
          spareFailure = null;
          if (failed != null) {
            throw failed instanceof IOException e ? e : new IOException(failed.toString(), failed);
          }
          return null;
        }
        spare = makeSpare();
      }
      long clock = options.clock().getAsLong();
      long created = Math.max(least, clock);
      int salt = ThreadLocalRandom.current().nextInt();
      takeReady();
      next = LogSegment.begin(files, spare, number, created, clock, opening, salt);
      checkOpening(); // behind the name that the segment has now
      String index = LogSegment.indexName(number);
      if (!spareIndex.equals(index)) {
        files.rename(spareIndex, index);
        spareIndex = index;
      }
      files.rename(SPARE, LogSegment.name(number));
      spareIndex = SPARE_INDEX;
      spare = null;
      synchronized (state) {
        lastCreated = created;
        entries.add(new Entry(number, created, clock, next.segmentBytes));
        namesUnforced = true;
        current = next;
        if (full != null) {
          full.seal(end);
          unforced.add(new Sealed(full, end, number));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      making.unlock();
    }
    want(true);
    return next;
  }

  /** Gives the spare segment, which is made, the names under which a later opening may take it. */
  private void makeReady() throws IOException {
    checkOpening();
    files.rename(SPARE, READY);
    isReady = true;
    files.rename(SPARE_INDEX, READY_INDEX);
    spareIndex = READY_INDEX;
  }

  /** Takes it back, so that this opening may write it. */
  private void takeReady() throws IOException {
    if (isReady) {
      files.rename(READY, SPARE);
      isReady = false;
    }
    if (spareIndex.equals(READY_INDEX)) {
      files.rename(READY_INDEX, SPARE_INDEX);
      spareIndex = SPARE_INDEX;
    }
  }

  private LogSegment.Mapping makeSpare() throws IOException {
    LogFiles.Mapped log = zeros(SPARE, options.segmentBytes());
    LogFiles.Mapped index = null;
    try {
      index = zeros(SPARE_INDEX, LogSegment.indexBytes(options.segmentBytes()));
      LogSegment.Mapping made = new LogSegment.Mapping(log, index);
      made.touch();
      return made;
    } catch (Throwable e) {
      log.close();
      if (index != null) {
        index.close();
      }
      files.delete(SPARE);
      throw e;
    }
  }

  /** Makes a file of zeros, unless a log that was not closed has left one. */
  private LogFiles.Mapped zeros(String name, long bytes) throws IOException {
    LogFiles.Mapped left;
    try {
      left = files.map(name, true);
    } catch (NoSuchFileException e) {
      return files.create(name, bytes);
    }
    if (left.memory().byteSize() == bytes && LogSegment.isEmpty(left.memory())) {
      left.force(0, bytes); // it may have been left before it was on the disk
      return left;
    }
    left.close();
    return files.create(name, bytes);
  }

  // ---- sync ----

  /**
   * Puts all that is committed on the disk, and waits for it.
   *
   * @throws UncheckedIOException if that fails, or has failed before
   * @throws IllegalStateException if the log is closed
   */
  public void sync() {
    long end = words.written();
    syncing.lock();
    try {
      do {
        checkOpen();
        checkForced();
        if (isForcing) {
          forced.awaitUninterruptibly();
        } else {
          forceUnlocked(true);
        }
      } while (words.durable() < end);
    } finally {
      syncing.unlock();
    }
  }

  /**
   * Waits until a message is on the disk. Where {@link LogOptions#withSync} was given zero, one of
   * the waiting threads forces for all; otherwise they wait until the interval is over, or {@link
   * #sync()} is called.
   *
   * @param number of the message
   * @param timeout how long to wait; zero or less does not
   * @return whether it is on the disk
   * @throws UncheckedIOException if a force fails, or has failed before
   * @throws IllegalStateException if the log is closed before or during the call
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public boolean awaitDurable(long number, Duration timeout) throws InterruptedException {
    long nanos = Math.max(0, Checks.nanos("timeout", timeout));
    if (words.durable() > number) {
      return true;
    }
    syncing.lockInterruptibly();
    try {
      while (words.durable() <= number) {
        checkOpen();
        checkForced();
        if (nanos <= 0) {
          return false;
        }
        if (options.syncNanos() == 0 && words.written() > number && !isForcing) {
          forceUnlocked(true);
        } else {
          nanos = awaitForced(nanos);
        }
      }
      return true;
    } finally {
      syncing.unlock();
    }
  }

  /** Waits until a force has ended, for a time at most; returns how much of that is left. */
  private long awaitForced(long nanos) throws InterruptedException {
    ForcedWait wait = new ForcedWait();
    wait.park(nanos);
    if (wait.interrupted != null) {
      throw wait.interrupted;
    }
    return wait.left;
  }

  /**
   * Waits for the end of a force. A condition lets a pool run another thread by itself, but not
   * where it waits for a time.
   */
  private final class ForcedWait extends Rest {
    private long left;
    private InterruptedException interrupted; // kept, since the pool may throw one of its own

    ForcedWait() {
      super(MessageLog.this);
    }

    @Override
    @SuppressWarnings("WaitNotInLoop") // the caller has the loop
    protected void rest(long nanos) {
      try {
        left = forced.awaitNanos(nanos);
      } catch (InterruptedException e) {
        interrupted = e;
      }
    }
  }

  /** Forces once no other thread does. */
  private void forceNext(boolean all) {
    syncing.lock();
    try {
      while (isForcing) {
        forced.awaitUninterruptibly();
      }
      forceUnlocked(all);
    } finally {
      syncing.unlock();
    }
  }

  /** Forces; gives up the lock, which the caller has, for as long as that takes. */
  private void forceUnlocked(boolean all) {
    isForcing = true;
    syncing.unlock();
    try {
      force(all);
    } finally {
      syncing.lock();
      isForcing = false;
      forced.signalAll();
    }
  }

  /** Forces the segments that are sealed, and perhaps what is in the last one. */
  private void force(boolean all) {
    checkForced();
    long end = words.written(); // before the state: what is below is in these segments
    List<Sealed> sealed;
    LogSegment last;
    boolean names;
    synchronized (state) {
      sealed = List.copyOf(unforced);
      last = current;
      names = namesUnforced;
      namesUnforced = false;
    }
    end = all ? Math.max(end, last.first) : last.durableEnd();
    if (sealed.isEmpty() && !names && end <= words.durable()) {
      return;
    }
    try {
      for (Sealed full : sealed) {
        full.segment.force(full.position);
        full.segment.forceMarks();
        full.segment.forceIndex();
      }
      long to = Math.max(LogSegment.HEADER_BYTES, last.forced);
      if (all && end > last.first) {
        to = last.behind(last.indexed(end - 1));
      }
      if (all || names) {
        last.force(to);
      }
      if (names) {
        files.force();
      }
      checkOpening(); // behind the force: what is not this opening's any more is not durable
      for (Sealed full : sealed) {
        full.segment.markComplete(full.position, full.end);
      }
      if (all || names) {
        last.markDurable(to, end);
      }
    } catch (Throwable e) { // an error too leaves unknown what is on the disk
      synchronized (state) {
        failure = e;
      }
      checkForced();
    }
    if (end > words.durable()) {
      words.durable(end);
    }
    synchronized (state) {
      unforced.removeAll(sealed);
      complete.addAll(sealed);
      forces++;
    }
    unmap();
  }

  /** Unmaps what is complete and removed, or far behind. */
  private void unmap() {
    while (true) {
      LogSegment segment;
      synchronized (state) {
        if (complete.isEmpty()) {
          return;
        }
        segment = complete.peek().segment;
        if (!(segment.first < firstNumber() || completeBytes() > MOST_MAPPED)) {
          return;
        }
        complete.remove();
      }
      segment.close();
    }
  }

  private long completeBytes() {
    return complete.stream().mapToLong(full -> full.segment.segmentBytes).sum();
  }

  /**
   * Forces the segments that are sealed, and the last one's header and name: once those before are
   * removed, nothing else says at which number the log goes on.
   */
  private void forceFull() {
    forceNext(false);
  }

  private void checkForced() {
    try {
      checkOpening();
    } catch (IOException e) {
      synchronized (state) {
        failure = failure == null ? e : failure;
      }
    }
    synchronized (state) {
      if (failure instanceof LostException e) {
        throw new UncheckedIOException(new IOException(e.getMessage(), e));
      }
      if (failure != null) {
        throw new UncheckedIOException(
            new IOException(
                "log must be opened again: a force failed, directory=" + files.directory(),
                failure));
      }
    }
  }

  /** Checks that the log has not been opened for writing again, and that its names are its own. */
  private void checkOpening() throws IOException {
    synchronized (state) {
      long last = opening; // if it is closed
      if (taken != null) {
        last = taken.last();
      } else if (current != null) {
        last = current.opening();
      }
      if (last != opening) {
        throw new LostException(
            "log was opened for writing again: opening=%d, of this one=%d, directory=%s"
                .formatted(last, opening, files.directory()));
      }
    }
    if (!files.isInPlace()) {
      throw new LostException(
          "another directory has the name of this log's: moved or replaced while it was open,"
              + " directory="
              + files.directory());
    }
  }

  // ---- retention ----

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
    return remove(number, Long.MAX_VALUE, Long.MIN_VALUE);
  }

  /** Removes the oldest segments as long as a limit says so. */
  private int remove(long below, long mostBytes, long leastTime) {
    removing.lock();
    try {
      checkOpen(); // under the lock, which close takes: another process may write the log then
      int removed = 0;
      for (Entry oldest; (oldest = oldest(below, mostBytes, leastTime)) != null; removed++) {
        if (current != null) { // or all are forced
          forceFull();
        }
        files.delete(LogSegment.name(oldest.first));
        files.delete(LogSegment.indexName(oldest.first));
        files.force(); // in order: what remains after a crash has no gap
        synchronized (state) {
          entries.removeFirst();
          removedSegments++;
        }
        unmap();
      }
      return removed;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      removing.unlock();
    }
  }

  /** Messages that are earlier need not be kept. */
  private long leastTime() {
    long age = options.retainAge();
    if (age == Long.MAX_VALUE) {
      return Long.MIN_VALUE;
    }
    long now = options.clock().getAsLong();
    correctTimes(now);
    long least = now - age;
    return least < now ? least : Long.MIN_VALUE; // or the clock is so low that nothing is as old
  }

  /**
   * Corrects times that are ahead of the clock, which so has been wrong: a segment was begun when
   * the clock said so, and not after the next one.
   */
  private void correctTimes(long now) {
    synchronized (state) {
      long next = Long.MAX_VALUE;
      for (int i = entries.size() - 1; i >= 0; i--) {
        Entry its = entries.get(i);
        if (its.created > now) {
          long time = Math.min(its.clock, next);
          entries.set(i, new Entry(its.first, time, its.clock, its.segmentBytes));
        }
        next = entries.get(i).created;
      }
    }
  }

  private Entry oldest(long below, long mostBytes, long leastTime) {
    synchronized (state) {
      if (entries.size() < 2) {
        return null;
      }
      Entry second = entries.get(1);
      boolean isRemoved =
          second.first <= below
              || second.created < leastTime
              || (mostBytes != Long.MAX_VALUE && bytes() > mostBytes);
      return isRemoved ? entries.getFirst() : null;
    }
  }

  /** The size of all segments and their indexes; the caller holds the state. */
  private long bytes() {
    long bytes = 0;
    for (int i = 0; i < entries.size(); i++) { // without an iterator: metrics allocate nothing
      bytes += entries.get(i).bytes();
    }
    return bytes;
  }

  // ---- metrics ----

  /**
   * {@inheritDoc} They are derived from what the log keeps anyway, so an append pays nothing for
   * them; reading takes time proportional to the number of segments, and never waits for the disk.
   *
   * <ul>
   *   <li>{@code committed}: messages since the log was opened
   *   <li>{@code forces}: how often the log has put messages on the disk since then, one call of
   *       {@link #sync} or one interval each; one for full segments; one in opening it
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
    values[0] = end - recovery.endNumber();
    values[4] = end;
    values[5] = durable;
    long now = options.clock().getAsLong();
    synchronized (state) {
      long ahead = lastCreated - now;
      values[8] = lastCreated <= now ? 0 : ahead < 0 ? Long.MAX_VALUE : ahead;
      values[1] = forces;
      values[2] = removedSegments;
      values[3] = firstNumber();
      values[6] = entries.size();
      values[7] = bytes();
    }
  }

  // ---- the log's threads ----

  void start() {
    threads = List.of(start("millrace-log", this::keep), start("millrace-log-spare", this::supply));
  }

  private Thread start(String name, Runnable body) {
    return Thread.ofPlatform().daemon().name(name + " " + files.directory()).start(body);
  }

  /** Has a spare segment made, and perhaps what is full forced. */
  private void want(boolean force) {
    keeping.lock();
    try {
      isSpareWanted = true;
      isForceWanted |= force;
      wanted.signalAll();
    } finally {
      keeping.unlock();
    }
  }

  /** The thread that syncs, and removes what need not be kept. */
  private void keep() {
    while (awaitWork(() -> isForceWanted, pauseNanos())) {
      syncAndRemove();
    }
  }

  /** The thread that makes segments ahead, which takes long; no sync waits for it. */
  private void supply() {
    while (awaitWork(() -> isSpareWanted, Long.MAX_VALUE)) {
      prepareIfWanted();
    }
  }

  /** How long until the next sync or check of ages. */
  private long pauseNanos() {
    long sinceSync = System.nanoTime() - syncedNanos;
    return Math.min(
        Math.max(LEAST_SYNC_NANOS, options.syncNanos()) - sinceSync,
        options.retainAge() == Long.MAX_VALUE ? Long.MAX_VALUE : AGE_NANOS);
  }

  /** Waits until there is work, for a time at most; returns false if the log is closed. */
  private boolean awaitWork(BooleanSupplier isThere, long nanos) {
    keeping.lock();
    try {
      long left = nanos;
      while (left > 0 && !isThere.getAsBoolean() && !isStopped) {
        left = wanted.awaitNanos(left);
      }
      return !isStopped;
    } catch (InterruptedException e) {
      return true; // nothing is meant to interrupt it: close stops it
    } finally {
      keeping.unlock();
    }
  }

  /** What the threads do each time. */
  void work() {
    prepareIfWanted();
    syncAndRemove();
  }

  private void syncAndRemove() {
    keeping.lock();
    try {
      isForceWanted = false;
    } finally {
      keeping.unlock();
    }
    boolean isDue = System.nanoTime() - syncedNanos >= options.syncNanos();
    try {
      long before;
      do {
        before = words.durable();
        forceNext(isDue); // what is full is forced in any case
      } while (options.syncNanos() == 0 && words.durable() > before);
      remove(0, options.retainBytes(), leastTime());
    } catch (Throwable e) { // as of the disk, of the clock, or for lack of memory
      // reported to the next caller that syncs or needs a segment; removing is tried again
    }
    if (isDue) {
      syncedNanos = System.nanoTime(); // after a failure too: the next round is not at once
    }
  }

  private void prepareIfWanted() {
    boolean isWanted;
    keeping.lock();
    try {
      isWanted = isSpareWanted;
      isSpareWanted = false;
    } finally {
      keeping.unlock();
    }
    if (isWanted) {
      prepare();
    }
  }

  private void prepare() {
    making.lock();
    try {
      if (spare == null && !lifecycle.isCompleted()) {
        spare = makeSpare();
        makeReady();
      }
      spareFailure = null;
    } catch (Throwable e) {
      spareFailure = e; // for a claim that does not wait; one that does tries itself
    } finally {
      making.unlock();
    }
  }

  // ---- the end ----

  /**
   * Puts all that is committed on the disk, and closes the log; an open claim is lost. Stop the
   * producer first. Readers go on to the last message.
   *
   * @throws UncheckedIOException if not all can be put on the disk; the log is closed nevertheless
   */
  @Override
  public void close() {
    if (!lifecycle.close()) {
      return;
    }
    stopThreads();
    removing.lock(); // waits for a removal; later ones find the log closed
    try (Closeable _ = lock;
        Closeable _ = this::free) {
      forceNext(true); // the last force: from now on all others find the log closed
      current.markClosed(opening);
      current.forceMarks(); // so that opening it again has little to scan
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      removing.unlock();
    }
  }

  private void stopThreads() {
    keeping.lock();
    try {
      isStopped = true;
      wanted.signalAll();
    } finally {
      keeping.unlock();
    }
    boolean wasInterrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          wasInterrupted = true;
        }
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Unmaps what is mapped, and deletes the spare segment. */
  private void free() {
    making.lock();
    try {
      if (spare != null) {
        spare.close();
        spare = null;
        files.delete(isReady ? READY : SPARE);
        files.delete(spareIndex);
      }
    } catch (IOException e) {
      // the next log takes it, or replaces it
    } finally {
      making.unlock();
    }
    synchronized (state) {
      unforced.forEach(full -> full.segment.close());
      unforced.clear();
      complete.forEach(full -> full.segment.close());
      complete.clear();
      if (current != null) {
        current.close();
        current = null;
      }
    }
  }

  /** Returns the directory. */
  @Override
  public String toString() {
    return "MessageLog[" + files.directory() + "]";
  }
}
