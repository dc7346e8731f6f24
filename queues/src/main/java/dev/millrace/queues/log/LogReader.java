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
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A reader of a {@link MessageLog}. A reader can run in the process that writes the log or in any
 * other process, while the log is being written or afterwards. Messages are read in place, in the
 * mapped files. A reader from {@link MessageLog#newReader} shares the log's own mappings of the
 * newest segments, whose pages are already loaded.
 *
 * {@snippet file="Examples.java" region="log-read"}
 *
 * <p>The reader checks the checksum, number and length of each message before it hands out the
 * message. Polling a damaged message throws {@link LogDamagedException} every time, until you move
 * the reader past the message with {@link #skipDamaged} or {@link #seek}. What {@link Consumer}
 * says about records applies to messages here. All messages of a run are in the same segment.
 * Releasing messages does not remove them from the log.
 *
 * <p><b>Roles.</b> A reader belongs to one thread at a time, as {@link Consumer} says.
 *
 * <p><b>Progress.</b> {@code tryPoll} does not wait. Because nothing wakes a reader that waits for
 * a message, the reader sleeps for a millisecond between tries where its strategy would park.
 *
 * <p><b>Removed messages.</b> If a reader's next message has been removed, the reader continues
 * with the oldest message still in the log, and adds the number of skipped messages to {@link
 * #lostCount()}.
 *
 * <p><b>Names.</b> A reader may have a name: see {@link MessageLog#newReader(String)}. Such a
 * reader continues where the last reader with the same name released, in whatever process that was.
 * What that reader had polled but not released is polled again.
 *
 * <p><b>Failure.</b> If a file cannot be read, the call throws an {@link UncheckedIOException} that
 * names the file. Polls and moves of a closed reader throw {@link IllegalStateException}. Writing
 * to a message throws, because the memory is read-only.
 *
 * @since 0.1.0
 */
public final class LogReader extends Consumer<Message> implements AutoCloseable {
  /*
   * ReaderPlace says where the reader is, and moves from segment to segment. This class has the
   * messages in hand: the open poll, which starts at the place's message, and the message that the
   * view is on.
   */
  private static final long REST_NANOS = 1_000_000;
  private static final int MOST_FOR_EACH = 256;

  private final LogFiles files;
  private final SegmentFinder finder;
  private final ReaderPlace place;
  private final @Nullable ReaderFile named; // null if the reader has no name
  private final Waiters waiters;
  private final WaitPlace waitPlace;
  private final Role role = new Role("LogReader allows one thread at a time");

  private int count; // number of messages in hand
  private long behind; // the position after them
  private int atIndex; // index of the message that the view is on
  private long atPosition;

  @SuppressWarnings("NullAway.Init") // set by the first poll
  private LogSegment seen; // the segment that the view is on

  @SuppressWarnings("NullAway.Init") // likewise
  private MovableMessage view;

  private boolean isBackward; // whether the message in hand was polled backwards
  private boolean isClosed;
  private @Nullable RunWriter writer; // null until a run is written to a channel
  private int wanted; // limit of a poll that waits
  private final Waiters.Attempt again = () -> tryPoll(wanted) > 0 || isDrained();

  /**
   * Makes a reader.
   *
   * @param log the segments of the log that makes the reader, or null for a reader of the files
   *     alone
   */
  LogReader(LogFiles files, WaitStrategy waits, @Nullable LogSegments log) {
    this(files, waits, new SegmentFinder(files, log), null);
  }

  private LogReader(
      LogFiles files, WaitStrategy waits, SegmentFinder finder, @Nullable ReaderFile named) {
    this.files = files;
    this.finder = finder;
    this.named = named;
    this.place = named == null ? new ReaderPlace(finder) : new ReaderPlace(finder, named);
    this.waiters = new Waiters(waits, true, REST_NANOS);
    this.waitPlace = new WaitPlace(waiters);
  }

  /** Makes a reader with a name, as the constructor does without one. */
  static LogReader named(LogFiles files, WaitStrategy waits, @Nullable LogSegments log, String name)
      throws IOException {
    SegmentFinder finder = new SegmentFinder(files, log);
    ReaderFile file = ReaderFile.take(files, name, finder.firstNumber());
    try {
      return new LogReader(files, waits, finder, file);
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /**
   * Opens a log for reading. The reader starts at the oldest message still in the log. A process
   * may be writing to the log at the same time. The reader's {@link #isDrained} returns false until
   * the reader itself is closed.
   *
   * @param directory the directory of the log
   * @return the reader
   * @throws IOException if there is no such directory
   */
  public static LogReader open(Path directory) throws IOException {
    return open(directory, LogOptions.WAITS);
  }

  /**
   * Opens a log for reading, as {@link #open(Path)} does, with a wait strategy.
   *
   * @param directory the directory of the log
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

  /**
   * Opens a log for reading, as {@link #open(Path, String, WaitStrategy)} does, with the default
   * wait strategy.
   *
   * @param directory the directory of the log
   * @param name the name of the reader
   * @return the reader, which the caller must close
   * @throws IllegalArgumentException if the name is not one
   * @throws IllegalStateException if a living reader has the name, in any process
   * @throws IOException if there is no such directory, or the file of the name cannot be used
   * @throws LogDamagedException if the file of the name is damaged
   */
  public static LogReader open(Path directory, String name) throws IOException {
    return open(directory, name, LogOptions.WAITS);
  }

  /**
   * Opens a log for reading, with a reader that has a name. It is the same as {@link
   * MessageLog#newReader(String)}, in any process. The process must be able to write to the
   * directory.
   *
   * @param directory the directory of the log
   * @param name the name, of 1 to 112 of the characters A-Z, a-z, 0-9, '.', '_' and '-'
   * @param waits how the reader waits for a message
   * @return the reader, which the caller must close
   * @throws IllegalArgumentException if the name is not one
   * @throws IllegalStateException if a living reader has the name, in any process
   * @throws IOException if there is no such directory, or the file of the name cannot be used
   * @throws LogDamagedException if the file of the name is damaged
   */
  public static LogReader open(Path directory, String name, WaitStrategy waits) throws IOException {
    Checks.notNull("directory", directory);
    Checks.notNull("waits", waits);
    try {
      return named(DiskFiles.of(directory), waits, null, name);
    } catch (LogDamagedException e) {
      throw e;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  // ---- taking ----

  @Override
  public @Nullable Message tryPoll() {
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

  /**
   * Polls the message before the reader's position, so that repeated calls read backwards: after
   * {@link #seekToEnd}, the newest message first. The message is in hand like any other. Releasing
   * it leaves the reader before that message, so {@link #tryPoll()} would return it again. A named
   * reader does not record such a release.
   *
   * {@snippet file="Examples.java" region="log-read-backwards"}
   *
   * <p>The index of the segment gives the place of the message, so a call takes constant time. If
   * the index was lost and the log has not been opened for writing since, a call takes time
   * proportional to the number of messages in the segment. Messages are read while the log is being
   * written. Those that are appended after the walk has begun are not part of it.
   *
   * @return the message, or null if the reader is at the oldest message still in the log
   * @throws LogDamagedException if the message is damaged. To pass it, {@linkplain #seek seek} the
   *     number of the damage
   * @throws IllegalStateException if a poll is open, or the reader is closed
   */
  public @Nullable Message tryPollPrevious() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    checkNoneOpen();
    if (place.tryFindPrevious()) {
      int _ = take(1);
      isBackward = true;
    }
    assert role.end(call);
    return isBackward ? view : null;
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
        break; // the next poll reports why
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
  public @Nullable Message poll() throws InterruptedException {
    return poll(1) > 0 ? view : null;
  }

  @Override
  public @Nullable Message poll(Duration timeout) throws InterruptedException {
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

  // ---- the messages in hand ----

  /**
   * Returns the number of the message that the reader is at.
   *
   * @return the number of the message that the view is on or, while no poll is open, of the next
   *     message
   */
  public long number() {
    return count > 0 ? place.number() + atIndex : place.number();
  }

  /**
   * Returns how many messages were removed before this reader reached them.
   *
   * @return the number since the reader was made
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

  /**
   * Returns how many bytes the messages of the open poll have together.
   *
   * @return the sum of their lengths
   * @throws IllegalStateException if no poll is open
   */
  public long runLength() {
    checkPoll();
    return RunWriter.length(seen, place.position(), behind);
  }

  /**
   * Writes the bytes of the messages of the open poll to a channel, one message after the other,
   * with one call of the channel. The channel may take fewer bytes. To write the rest, call again
   * with a higher {@code from}:
   *
   * {@snippet file="Examples.java" region="log-write"}
   *
   * <p>Only the bytes of the messages are written, nothing between them. If the receiver must know
   * where a message ends, begin each message with its length.
   *
   * <p>A message of 4 KiB or more is written without a copy, like one of {@link
   * Message#writeTo(WritableByteChannel, int)}, by a call of its own. Shorter messages that follow
   * each other are copied to a buffer of 64 KiB outside the Java heap, which is written with one
   * call, because a call takes longer than the copies. The buffer is allocated by the first call
   * that needs it, and by each one for a channel that is not the JDK's.
   *
   * @param channel the channel to write to, in blocking or non-blocking mode
   * @param from how many bytes of the run to leave out, from 0 to {@link #runLength()}
   * @return how many bytes were written; 0 if a non-blocking channel takes none at the moment, or
   *     if {@code from} is the length of the run
   * @throws IndexOutOfBoundsException if {@code from} is out of range
   * @throws IllegalStateException if no poll is open
   * @throws IOException if the channel throws it. The poll is still open
   */
  public int writeRunTo(WritableByteChannel channel, long from) throws IOException {
    Checks.notNull("channel", channel);
    long call = 0;
    assert (call = role.begin()) >= 0;
    checkPoll();
    if (writer == null) {
      writer = new RunWriter();
    }
    int written = writer.write(seen, place.position(), behind, from, channel);
    assert role.end(call);
    return written;
  }

  private void checkPoll() {
    if (count == 0) {
      throw new IllegalStateException("no open poll: " + this);
    }
  }

  @Override
  public void release() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (count == 0) {
      throw noPoll();
    }
    if (named != null && !isBackward) {
      named.record(place.number() + count); // first, because it may throw
    }
    view.exit();
    if (!isBackward) {
      place.pass(behind, count);
    }
    isBackward = false;
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
      count = handled + 1; // the message whose handler threw counts as consumed
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
      count = 0; // they are taken again, together with those after them
      drain(handler, MOST_FOR_EACH);
    }
  }

  /**
   * Returns whether no more messages will come. The method returns true once the reader is closed,
   * or once the log that made the reader is closed and the reader has released the log's last
   * message.
   *
   * @return true when the reader can stop; false for a reader made by {@code open} until that
   *     reader is closed
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
    boolean isDrained = place.isAtEnd(); // everything committed before the end is visible now
    assert role.end(call);
    return isDrained;
  }

  // ---- elsewhere ----

  /**
   * Returns the number of the oldest message still in the log.
   *
   * @return the number at this moment, or 0 if there is no message
   */
  public long firstNumber() {
    return finder.firstNumber();
  }

  /**
   * Returns one past the number of the last message.
   *
   * @return the number at this moment, or 0 if there is no message
   */
  public long endNumber() {
    return finder.endNumber();
  }

  /** Runs a move after the checks that every move needs. Returns the result of {@code move}. */
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

  /** Moves to the oldest message still in the log. */
  public void seekToStart() {
    moveTo(finder::firstNumber);
  }

  /**
   * Moves past the last message, so that the reader continues with messages appended from now on.
   */
  public void seekToEnd() {
    moveTo(finder::endNumber);
  }

  /**
   * Moves to a message. If the message was removed, the next poll counts the missing messages as
   * lost and takes the oldest message still in the log. When a seek moves the reader to another
   * segment, the reader keeps the old segment open. It keeps up to {@value KeptSegments#MOST} such
   * segments, so their messages stay readable even if the log removes the files. A removed segment
   * is certain to stay open only until the reader moves to a segment that it does not have open.
   *
   * @param to the message's number, or one past the number of the last message
   * @throws IllegalArgumentException if the number is not in 0..{@link #endNumber()}
   * @throws IllegalStateException if a poll is open, or the reader is closed
   */
  public void seek(long to) {
    moveTo(() -> place.checked(to));
  }

  /**
   * Moves to the first message whose time is at or after a given time. If there is no such message,
   * the reader moves past the last message. The method uses binary search, first among the segments
   * and then within one segment, so it reads few messages.
   *
   * @param time the earliest time to read, in the unit of the log's clock
   * @throws IllegalStateException if a poll is open, or the reader is closed
   */
  public void seekTime(long time) {
    moveTo(() -> finder.numberSince(time));
  }

  /**
   * Moves from a damaged message to the next whole message.
   *
   * @return how many messages were skipped; 0 if the next message is whole or not there yet, or if
   *     no whole message follows
   * @throws IllegalStateException if a poll is open, or the reader is closed
   */
  public long skipDamaged() {
    return move(place::skipDamaged);
  }

  // ---- the end ----

  /**
   * Unmaps the files that the reader has mapped. The log and its other readers are not affected. If
   * the reader has a name, another reader can then have it, and the position is forced to the disk.
   *
   * @throws UncheckedIOException if the position cannot be forced. The reader is closed
   *     nevertheless
   */
  @Override
  public void close() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (!isClosed) {
      if (count > 0) {
        view.exit();
        count = 0;
      }
      isClosed = true;
      place.close();
      if (named != null) {
        named.close();
      }
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

  /** Returns the directory of the log, and the reader's name and position. */
  @Override
  public String toString() {
    String name = named == null ? "" : "name=" + named.name() + ", ";
    return "LogReader[" + files.directory() + ", " + name + "number=" + number() + "]";
  }
}
