package dev.millrace.queues;

import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.internal.Checks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

/**
 * A reader of a {@link MessageLog}, in the process that writes it or in any other, while it is
 * written or later. Messages are read in place, in the mapped files. A reader that a log has made
 * uses the log's own mappings of the newest segments, where no access waits for a page:
 *
 * {@snippet class=dev.millrace.queues.Snippets region="log-read"}
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
  private static final long NEVER = Long.MAX_VALUE; // the end of a segment that is not sealed
  private static final long LOST = -1; // the position of a message that its segment does not have
  private static final long REST_NANOS = 1_000_000;
  private static final int MOST_FOR_EACH = 256;
  private static final int MOST_KEPT = 8; // segments that it has sought in before

  private final LogFiles files;
  private final MessageLog log; // null if a directory was opened
  private final Waiters waiters;
  private final Role role = new Role("LogReader allows one thread at a time");

  private LogSegment segment; // of the next message; null until it is found
  private long end = NEVER; // of the segment
  private boolean isLast; // whether no segment was behind this one when that was looked for
  private long position; // of the next message; the first of those in hand, if there are any
  private long number;
  private int count; // of messages in hand
  private long behind; // their position
  private int atIndex; // of the message that the view is on
  private long atPosition;
  private Message view; // null until there is memory
  private long lost;
  private final LogSegment[] kept = new LogSegment[MOST_KEPT];
  private int nextKept;
  private long knownEnd; // a number behind a message that was there
  private boolean isClosed;
  private int wanted; // by a poll that waits
  private final Waiters.Attempt again = () -> tryPoll(wanted) > 0 || isDrained();

  LogReader(LogFiles files, WaitStrategy waits, MessageLog log) {
    this.files = files;
    this.log = log;
    this.waiters = new Waiters(waits, true, REST_NANOS);
    long[] firsts = firsts();
    this.number = firsts.length == 0 ? 0 : firsts[0];
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
    int taken = take(limit);
    assert role.end(call);
    return taken;
  }

  private void checkNoneOpen() {
    if (count > 0) {
      throw new IllegalStateException("poll must be released before the next: " + this);
    }
    if (isClosed) {
      throw new IllegalStateException("reader must be open: closed, " + this);
    }
  }

  private int take(int limit) {
    if (segment != null && end == NEVER) {
      boolean _ = findEnd(segment);
    }
    while (true) {
      if (segment != null && position >= 0 && position < end && segment.fits(position)) {
        long word = segment.word(position);
        if (word != 0 && segment.isWhole(position, word, number)) {
          return takeRun(word, limit);
        }
        if (!goesOn(word)) {
          return 0;
        }
      } else if (!goesOn(0)) {
        return 0;
      }
    }
  }

  private int takeRun(long word, int limit) {
    long next = position + LogSegment.room(LogSegment.length(word));
    int taken = 1;
    while (taken < limit && next < end && segment.fits(next)) {
      long its = segment.word(next);
      if (its == 0 || !segment.isWhole(next, its, number + taken)) {
        break; // the next poll says why
      }
      next += LogSegment.room(LogSegment.length(its));
      taken++;
    }
    count = taken;
    behind = next;
    moveTo(0, position);
    return taken;
  }

  private void moveTo(int index, long at) {
    atIndex = index;
    atPosition = at;
    int length = LogSegment.length(segment.word(at));
    view.moveTo(at + LogSegment.CELLS, segment.typeAt(at), length, true);
  }

  /**
   * Finds out why there is no whole message at the position.
   *
   * @param word that was read there; 0 if none was
   * @return whether to try again; false if the message is not there yet
   * @throws LogDamagedException if it never will be
   */
  private boolean goesOn(long word) {
    if (segment == null) {
      return enters();
    }
    if (position == LOST) {
      throw damaged(0, "message is missing");
    }
    boolean wasSealed = end != NEVER;
    if (!wasSealed && findEnd(segment)) {
      return true; // what was committed before the seal is visible now
    }
    boolean isAtEnd = position >= end && segment.sealed() != 0;
    if (wasSealed && (isAtEnd || segment.sealed() == 0) && number > segment.first && hasNext()) {
      return true;
    }
    if (isAtEnd) { // the next segment is not there yet,
      leave(); // or this one was replaced under its name: the next poll opens it again
      return false;
    }
    if (word != 0 || wasSealed) {
      throw damaged(position, segment.reason(position, word, number));
    }
    return isLeftBehind();
  }

  /**
   * Whether there is a later segment though this one is not sealed: its writer is gone, or about to
   * seal it, or files of another log were copied here. Its messages end where the next one's begin.
   * Looks at the names once in each segment, since nearly always this is the last.
   */
  private boolean isLeftBehind() {
    isLast |= log != null && log.isWriting(segment.first); // and will seal it
    if (isLast) {
      return false;
    }
    long[] firsts = firsts();
    int later = Arrays.binarySearch(firsts, segment.first + 1);
    later = later >= 0 ? later : -later - 1;
    if (later == firsts.length) {
      isLast = true;
      return false;
    }
    if (segment.isSealed() || (segment.fits(position) && segment.word(position) != 0)) {
      return true; // it has been written since
    }
    if (number < firsts[later]) {
      throw damaged(position, "message is missing");
    }
    leave();
    return true;
  }

  private LogDamagedException damaged(long at, String reason) {
    return new LogDamagedException(new LogDamage(segment.file, at, number, 1, reason));
  }

  /** Goes to the segment that begins with the next message, if there is one. */
  private boolean hasNext() {
    try {
      enter(open(number));
      position = LogSegment.HEADER_BYTES;
      return true;
    } catch (NoSuchFileException e) {
      long[] firsts = firsts();
      if (firsts.length == 0 || firsts[firsts.length - 1] == segment.first) {
        return false; // it is being made
      }
      if (firsts[0] < number && firsts[floor(firsts, number)] == segment.first) {
        throw damaged(position, "messages behind are missing");
      }
      leave(); // the messages are removed, or in a segment that has just been made, or overlaps
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Opens the segment of the next message. */
  private boolean enters() {
    while (true) {
      long[] firsts = firsts();
      if (firsts.length == 0) {
        return false;
      }
      if (number < firsts[0]) {
        lost += firsts[0] - number;
        number = firsts[0];
      }
      closeKept(firsts[0]);
      long first = firsts[floor(firsts, number)];
      try {
        enter(open(first));
        position = segment.find(number);
        return true;
      } catch (NoSuchFileException e) {
        checkRemoved(first, e); // those behind it are still there
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Opens a segment: the log's mapping of it, if there is one, since its pages are there. */
  private LogSegment open(long first) throws IOException {
    LogSegment shared = log == null ? null : log.shared(first);
    return shared == null ? LogSegment.open(files, first, false) : shared;
  }

  private void checkRemoved(long first, NoSuchFileException e) {
    try {
      LogSegment.checkRemoved(files, first, e);
    } catch (IOException notRemoved) {
      throw new UncheckedIOException(notRemoved);
    }
  }

  /** Which of some numbers is the last up to a number, which is not before all of them. */
  private static int floor(long[] firsts, long number) {
    int found = Arrays.binarySearch(firsts, number);
    return found >= 0 ? found : -found - 2;
  }

  private void enter(LogSegment next) {
    leave();
    segment = next;
    boolean _ = findEnd(next);
    if (view == null) {
      view = new Message(next.memory);
    } else {
      view.lay(next.memory);
    }
  }

  /** Notes where a segment ends, once it does: what an earlier opening lost may follow. */
  private boolean findEnd(LogSegment segment) {
    if (!segment.isSealed()) {
      return false;
    }
    long sealed = segment.sealed();
    end = sealed == 0 ? segment.bytes : sealed; // or the mark is damaged
    return true;
  }

  private void leave() {
    LogSegment left = letGo();
    if (left != null) {
      left.close();
    }
  }

  /** Is in no segment any more; returns the one before, which may be null. */
  private LogSegment letGo() {
    LogSegment left = segment;
    if (left != null) {
      view.leave();
      segment = null;
    }
    end = NEVER;
    isLast = false;
    return left;
  }

  private long[] firsts() {
    try {
      return LogSegment.firsts(files.names());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
    return polled > 0 || !waiters.await(again, nanos) ? polled : count;
  }

  // ---- what is in hand ----

  /**
   * Which message the reader is at.
   *
   * @return the number of the message that the view is on; while no poll is open, of the next one
   */
  public long number() {
    return count > 0 ? number + atIndex : number;
  }

  /**
   * How many messages were removed before this reader came to them.
   *
   * @return the count since the reader was made
   */
  public long lostCount() {
    return lost;
  }

  @Override
  public Message at(int index) {
    if (index < 0 || index >= count) {
      throw new IndexOutOfBoundsException(
          "index must be of a message of the open poll: index=" + index + ", " + this);
    }
    long at = index < atIndex ? position : atPosition;
    for (int i = index < atIndex ? 0 : atIndex; i < index; i++) {
      at = segment.behind(at);
    }
    moveTo(index, at);
    return view;
  }

  @Override
  public void release() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (count == 0) {
      throw new IllegalStateException("poll must be open: none is, " + this);
    }
    view.leave();
    position = behind;
    number += count;
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
      for (long at = position; handled < taken; handled++, at = segment.behind(at)) {
        moveTo(handled, at);
        handler.handle(view);
      }
      return taken;
    } catch (Throwable e) {
      count = handled + 1; // the one whose handler threw is consumed
      behind = segment.behind(atPosition);
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
    if (log == null || count > 0 || !log.lifecycle.isCompleted()) {
      return false;
    }
    try {
      return !isNextThere(); // what was committed before the end is visible now
    } catch (LogDamagedException e) {
      return false;
    }
  }

  /** Whether the next message is there; takes nothing. */
  private boolean isNextThere() {
    boolean isThere = take(1) > 0;
    if (isThere) {
      count = 0;
      view.leave();
    }
    return isThere;
  }

  // ---- elsewhere ----

  /**
   * The number of the first message that is kept.
   *
   * @return the number, as of now; 0 if there is none
   */
  public long firstNumber() {
    long[] firsts = firsts();
    return firsts.length == 0 ? 0 : firsts[0];
  }

  /**
   * The number behind the last message.
   *
   * @return the number, as of now; 0 if there is none
   */
  public long endNumber() {
    while (true) {
      long[] firsts = firsts();
      if (firsts.length == 0) {
        return 0;
      }
      long first = firsts[firsts.length - 1];
      try (LogSegment last = open(first)) {
        return last.end();
      } catch (NoSuchFileException e) {
        checkRemoved(first, e); // so there is another
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Moves to the first message that is kept. */
  public void seekToStart() {
    checkNoneOpen();
    to(firstNumber());
  }

  /** Moves behind the last message: what is read next is what is appended from now on. */
  public void seekToEnd() {
    checkNoneOpen();
    to(endNumber());
  }

  /**
   * Moves to a message. If it was removed, the next poll counts the missing messages as lost and
   * takes the first one kept; messages in the last {@value #MOST_KEPT} segments that it has sought
   * in stay readable after removal, until the reader enters another segment.
   *
   * @param to its number, or that behind the last message
   * @throws IllegalArgumentException if the number is not in 0..{@link #endNumber()}
   * @throws IllegalStateException if a poll is open, or the reader is closed
   */
  public void seek(long to) {
    checkNoneOpen();
    if (to < 0 || to > knownEnd) {
      knownEnd = endNumber();
    }
    Checks.inRange("number", to, 0, knownEnd);
    to(to);
  }

  private void to(long to) {
    if (!has(segment, to)) {
      change(to);
    }
    if (segment != null) {
      position = segment.indexed(to);
    }
    number = to;
  }

  private static boolean has(LogSegment segment, long number) {
    return segment != null
        && number >= segment.first
        && segment.isAt(segment.indexed(number), number);
  }

  /** Goes to the segment of a message if it was in it before, and keeps the one that it leaves. */
  private void change(long to) {
    LogSegment left = letGo();
    for (int i = 0; i < kept.length; i++) {
      if (has(kept[i], to)) {
        LogSegment next = kept[i];
        kept[i] = left;
        enter(next);
        return;
      }
    }
    if (left != null) {
      if (kept[nextKept] != null) {
        kept[nextKept].close();
      }
      kept[nextKept] = left;
      nextKept = (nextKept + 1) % kept.length;
    }
  }

  /** Closes the kept segments whose messages are all before a number. */
  private void closeKept(long before) {
    for (int i = 0; i < kept.length; i++) {
      if (kept[i] != null && kept[i].first < before) {
        kept[i].close();
        kept[i] = null;
      }
    }
  }

  /**
   * Moves to the first message of a time or later, or behind the last if there is none. Finds it by
   * halving, first among the segments and then in one, so it reads few messages.
   *
   * @param time in the unit of the log's clock
   * @throws IllegalStateException if a poll is open, or the reader is closed
   */
  public void seekTime(long time) {
    checkNoneOpen();
    long[] firsts = firsts();
    int low = 0;
    int high = firsts.length - 1;
    while (low < high) { // the last segment that was begun before the time
      int middle = (low + high + 1) >>> 1;
      if (isBegunBefore(firsts[middle], time)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    for (int i = low; i < firsts.length; i++) {
      try (LogSegment searched = open(firsts[i])) {
        long last = i + 1 < firsts.length ? firsts[i + 1] : searched.end();
        long found = searched.firstSince(time, last);
        if (found < last) {
          to(found);
          return;
        }
      } catch (NoSuchFileException e) {
        checkRemoved(firsts[i], e);
      } catch (LogDamagedException e) {
        // it cannot be read: in the next one
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    to(endNumber());
  }

  private boolean isBegunBefore(long first, long time) {
    try (LogSegment begun = open(first)) {
      return begun.created < time;
    } catch (NoSuchFileException e) {
      checkRemoved(first, e);
      return true; // and so were all before it
    } catch (LogDamagedException e) {
      return false; // the search goes on from segment to segment
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Moves from a damaged message to the next one that is whole.
   *
   * @return how many messages were skipped; 0 if the next one is whole, or not there yet, or if
   *     nothing whole follows
   * @throws IllegalStateException if a poll is open, or the reader is closed
   */
  public long skipDamaged() {
    checkNoneOpen();
    long from = number;
    try {
      boolean _ = isNextThere();
      return 0;
    } catch (LogDamagedException e) {
      long next = segment == null ? -1 : wholeInSegment();
      if (next < 0) {
        next = Arrays.stream(firsts()).filter(first -> first > from).findFirst().orElse(from);
        leave();
      }
      number = next;
      return next - from;
    }
  }

  /** Moves to the next whole message of the segment; returns its number, or negative. */
  private long wholeInSegment() {
    long limit = end == NEVER ? segment.bytes : end;
    if (position == LOST) {
      LogSegment.Walk walk = segment.new Walk(LogSegment.HEADER_BYTES, segment.first);
      while (walk.number < number && walk.goesOn()) {}
      if (walk.number <= number || !segment.isAt(walk.position, walk.number)) {
        return -1;
      }
      position = walk.position;
    } else {
      long next = position < limit ? segment.resync(position, number, limit) : -1;
      if (next < 0) {
        return -1;
      }
      position = next;
    }
    return segment.numberAt(position);
  }

  // ---- the end ----

  /** Unmaps what it has mapped. The log and its other readers go on. */
  @Override
  public void close() {
    if (!isClosed) {
      count = 0;
      leave();
      closeKept(Long.MAX_VALUE);
      isClosed = true;
    }
  }

  /** Returns what it reads, and how far it is. */
  @Override
  public String toString() {
    return "LogReader[" + files.directory() + ", number=" + number() + "]";
  }
}
