package dev.millrace.queues.log;

import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.WaitPlace;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.internal.LogFiles;
import dev.millrace.queues.internal.MovableMessage;
import dev.millrace.queues.messages.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A reader of a {@link MessageLog}, in the process that writes it or in any other, while it is
 * written or later. Messages are read in place, in the mapped files. A reader that a log has made
 * uses the log's own mappings of the newest segments, where no access waits for a page:
 *
 * {@snippet file="Examples.java" region="log-read"}
 *
 * <p>Each message is checked before it is handed out: its checksum, its number, its length. Polling
 * a damaged message throws {@link LogDamagedException} every time, until you move past it with
 * {@link #skipDamaged} or {@link #seek}. What {@link Consumer} calls a record is a message; those
 * of a run are of one segment, and releasing frees nothing for anyone else.
 *
 * <p><b>Roles.</b> Belongs to one thread at a time, as {@link Consumer} says.
 *
 * <p><b>Progress.</b> Polls do not wait. Nothing wakes a reader that waits for a message: where its
 * strategy would park, it sleeps a millisecond between tries.
 *
 * <p><b>Removed messages.</b> If its next message has been removed, the reader continues with the
 * first one kept and adds the number skipped to {@link #lostCount()}.
 *
 * <p><b>Failure.</b> A file that cannot be read is an {@link UncheckedIOException} that names it.
 * Polls and moves of a closed reader throw {@link IllegalStateException}. Writing to a message
 * throws, since the memory is read-only.
 *
 * @since 0.1.0
 */
public final class LogReader extends Consumer<Message> implements AutoCloseable {
  /*
   * ReaderPlace is where the reader is, and goes from segment to segment; here is what it has in
   * hand: the open poll, from the message of the place on, and which of its messages the view is
   * on.
   */
  private static final long REST_NANOS = 1_000_000;
  private static final int MOST_FOR_EACH = 256;

  private final LogFiles files;
  private final SegmentFinder finder;
  private final ReaderPlace place;
  private final Waiters waiters;
  private final WaitPlace waitPlace;
  private final Role role = new Role("LogReader allows one thread at a time");

  private int count; // of messages in hand
  private long behind; // their position
  private int atIndex; // of the message that the view is on
  private long atPosition;
  private LogSegment seen; // whose memory the view is on; null until there is some
  private MovableMessage view;
  private boolean isClosed;
  private int wanted; // by a poll that waits
  private final Waiters.Attempt again = () -> tryPoll(wanted) > 0 || isDrained();

  /**
   * Makes a reader.
   *
   * @param log the segments of the log that makes it; null for one that knows the files alone
   */
  LogReader(LogFiles files, WaitStrategy waits, LogSegments log) {
    this.files = files;
    this.finder = new SegmentFinder(files, log);
    this.place = new ReaderPlace(finder);
    this.waiters = new Waiters(waits, true, REST_NANOS);
    this.waitPlace = new WaitPlace(waiters);
  }

  /**
   * Opens a log for reading; it begins with the first message kept. Whether a process writes the
   * log makes no difference; the reader is never drained.
   *
   * @param directory of the log
   * @return the reader
   * @throws IOException if there is no such directory
   */
  public static LogReader open(Path directory) throws IOException {
    return open(directory, LogOptions.WAITS);
  }

  /**
   * Opens a log for reading: {@link #open(Path)}.
   *
   * @param directory of the log
   * @param waits how the reader waits for a message
   * @return the reader
   * @throws IOException if there is no such directory
   */
  public static LogReader open(Path directory, WaitStrategy waits) throws IOException {
    Checks.notNull("directory", directory);
    Checks.notNull("waits", waits);
    try {
      return new LogReader(DiskFiles.of(directory), waits, null);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  // ---- taking ----

  @Override
  public Message tryPoll() {
    return tryPoll(1) > 0 ? view : null;
  }

  @Override
  public int tryPoll(int limit) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (limit < 1) {
      Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    }
    checkNoneOpen();
    int taken = place.tryFind() ? take(limit) : 0;
    assert role.end(call);
    return taken;
  }

  private void checkNoneOpen() {
    if (count > 0 || isClosed) {
      throw isClosed ? closed() : pollAlreadyOpen();
    }
  }

  private int take(int limit) {
    LogSegment segment = place.segment();
    if (segment != seen) {
      enter(segment);
    }
    long number = place.number();
    long next = place.behind();
    int taken = 1;
    while (taken < limit) {
      long after = place.behind(next, number + taken);
      if (after == 0) {
        break; // the next poll says why
      }
      next = after;
      taken++;
    }
    count = taken;
    behind = next;
    show(0, place.position());
    return taken;
  }

  private void enter(LogSegment segment) {
    if (view == null) {
      view = new MovableMessage(segment.memory());
    } else {
      view.switchTo(segment.memory());
    }
    seen = segment;
  }

  private void show(int index, long position) {
    atIndex = index;
    atPosition = position;
    seen.show(view, position);
  }

  @Override
  public Message poll() throws InterruptedException {
    return poll(1) > 0 ? view : null;
  }

  @Override
  public Message poll(Duration timeout) throws InterruptedException {
    return poll(1, Checks.nanos("timeout", timeout)) > 0 ? view : null;
  }

  @Override
  public int poll(int limit) throws InterruptedException {
    return poll(limit, WaitStrategy.FOREVER);
  }

  private int poll(int limit, long nanos) throws InterruptedException {
    int polled = tryPoll(limit);
    wanted = limit;
    return polled > 0 || !waiters.await(waitPlace, again, nanos) ? polled : count;
  }

  // ---- what is in hand ----

  /**
   * Which message the reader is at.
   *
   * @return the number of the message that the view is on; while no poll is open, of the next one
   */
  public long number() {
    return count > 0 ? place.number() + atIndex : place.number();
  }

  /**
   * How many messages were removed before this reader came to them.
   *
   * @return the count since the reader was made
   */
  public long lostCount() {
    return place.lostCount();
  }

  @Override
  public Message at(int index) {
    if (index < 0 || index >= count) {
      throw new IndexOutOfBoundsException(
          "no such message in the open poll: index=" + index + ", " + this);
    }
    long at = index < atIndex ? place.position() : atPosition;
    for (int i = index < atIndex ? 0 : atIndex; i < index; i++) {
      at = seen.behind(at);
    }
    show(index, at);
    return view;
  }

  @Override
  public void release() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (count == 0) {
      throw noPoll();
    }
    view.exit();
    place.pass(behind, count);
    count = 0;
    assert role.end(call);
  }

  // ---- handlers ----

  @Override
  public int drain(Handler<? super Message> handler, int limit) {
    Checks.notNull("handler", handler);
    int taken = tryPoll(limit);
    if (taken == 0) {
      return 0;
    }
    int handled = 0;
    try {
      for (long at = place.position(); handled < taken; handled++, at = seen.behind(at)) {
        show(handled, at);
        handler.handle(view);
      }
      return taken;
    } catch (Throwable e) {
      count = handled + 1; // the one whose handler threw is consumed
      behind = seen.behind(atPosition);
      throw e;
    } finally {
      release();
    }
  }

  @Override
  public void forEach(Handler<? super Message> handler) throws InterruptedException {
    Checks.notNull("handler", handler);
    while (poll(1) > 0) {
      count = 0; // they are taken again, with those behind
      drain(handler, MOST_FOR_EACH);
    }
  }

  /**
   * Whether nothing more will come: the log that made the reader is closed, and all is read.
   *
   * @return true when the reader can stop; of a reader that opened a directory, never
   */
  @Override
  public boolean isDrained() {
    if (isClosed) {
      return true;
    }
    if (count > 0 || !finder.isLogClosed()) {
      return false;
    }
    long call = 0;
    assert (call = role.begin()) >= 0;
    boolean isDrained = place.isAtEnd(); // what was committed before the end is visible now
    assert role.end(call);
    return isDrained;
  }

  // ---- elsewhere ----

  /**
   * The number of the first message that is kept.
   *
   * @return the number, as of now; 0 if there is none
   */
  public long firstNumber() {
    return finder.firstNumber();
  }

  /**
   * One past the number of the last message.
   *
   * @return the number, as of now; 0 if there is none
   */
  public long endNumber() {
    return finder.endNumber();
  }

  /** The checks of each move: returns what the move does. */
  private long move(LongSupplier move) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    checkNoneOpen();
    long moved = move.getAsLong();
    assert role.end(call);
    return moved;
  }

  private void moveTo(LongSupplier number) {
    long _ = move(() -> place.seek(number.getAsLong()));
  }

  /** Moves to the first message that is kept. */
  public void seekToStart() {
    moveTo(finder::firstNumber);
  }

  /** Moves past the last message: what is read next is what is appended from now on. */
  public void seekToEnd() {
    moveTo(finder::endNumber);
  }

  /**
   * Moves to a message. If it was removed, the next poll counts the missing messages as lost and
   * takes the first one kept; messages in the last {@value KeptSegments#MOST} segments that it has
   * sought in stay readable after removal, until the reader enters another segment.
   *
   * @param to its number, or one past that of the last message
   * @throws IllegalArgumentException if the number is not in 0..{@link #endNumber()}
   * @throws IllegalStateException if a poll is open, or the reader is closed
   */
  public void seek(long to) {
    moveTo(() -> place.checked(to));
  }

  /**
   * Moves to the first message of a time or later, or past the last message if there is none. Finds
   * it by bisection, first among the segments and then in one, so it reads few messages.
   *
   * @param time in the unit of the log's clock
   * @throws IllegalStateException if a poll is open, or the reader is closed
   */
  public void seekTime(long time) {
    moveTo(() -> finder.numberSince(time));
  }

  /**
   * Moves from a damaged message to the next one that is whole.
   *
   * @return how many messages were skipped; 0 if the next one is whole, or not there yet, or if
   *     nothing whole follows
   * @throws IllegalStateException if a poll is open, or the reader is closed
   */
  public long skipDamaged() {
    return move(place::skipDamaged);
  }

  // ---- the end ----

  /** Unmaps what it has mapped. The log and its other readers are not affected. */
  @Override
  public void close() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (!isClosed) {
      if (count > 0) {
        view.exit();
        count = 0;
      }
      place.close();
      isClosed = true;
    }
    assert role.end(call);
  }

  private IllegalStateException pollAlreadyOpen() {
    return new IllegalStateException("a poll is already open, release it first: " + this);
  }

  private IllegalStateException noPoll() {
    return new IllegalStateException("nothing to release: no open poll, " + this);
  }

  private IllegalStateException closed() {
    return new IllegalStateException("reader is closed: " + this);
  }

  /** Returns what it reads, and how far it is. */
  @Override
  public String toString() {
    return "LogReader[" + files.directory() + ", number=" + number() + "]";
  }
}
