package dev.millrace.queues.log;

import dev.millrace.core.internal.Role;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.internal.MovableMessage;
import dev.millrace.queues.messages.Message;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Appends messages to a {@link MessageLog}. A claim reserves the space after the last message. The
 * caller writes one message or a run of messages into this space, and then commits the claim:
 *
 * {@snippet file="Examples.java" region="log-append"}
 *
 * <p><b>Roles.</b> A producer belongs to one thread at a time. A thread may hand the producer over
 * to another thread if the hand-over establishes a happens-before edge between the calls of the two
 * threads. With assertions enabled ({@code -ea}), overlapping calls throw an {@link
 * AssertionError}. With assertions disabled, overlapping calls may damage messages, but memory
 * stays safe.
 *
 * <p><b>Progress.</b> Commit and abort are wait-free. If a claim needs a new segment that the log's
 * thread has not made yet, {@code tryClaim} returns null or 0, whereas {@code claim} waits until
 * the log's thread has made the segment, or makes the segment itself.
 *
 * <p><b>Failure.</b> If a claim needs a segment that cannot be made, the claim throws {@link
 * UncheckedIOException}, but nothing is lost and the claim may be retried. An {@code append} that
 * throws has appended nothing and leaves no claim of its own open. The following throw {@link
 * IllegalStateException}: a claim while another one is open, a commit or an abort while no claim is
 * open, and a claim, commit or abort after the log or the producer was closed.
 *
 * @since 0.1.0
 */
public final class LogProducer implements AutoCloseable {
  private static final int NO_CLAIM = -1; // in place of a length
  private static final int WHOLE = -1; // length to commit for all that was claimed
  private static final int NOTHING = -2;
  private static final MemorySegment[] NO_PARTS = {};

  private final MessageLog log;
  private final int maxLength;
  private final MovableMessage view;
  private final Role role = new Role("LogProducer allows one thread at a time");

  private LogSegment segment;
  private long position; // position of the next message
  private long number;
  private long time; // time of the last message
  private int claimed = NO_CLAIM; // bytes of each message of the open claim
  private int type;
  private int count; // number of messages in the open claim
  private boolean isClosed;

  LogProducer(MessageLog log, LogSegment segment, long position, long number, long time) {
    this.log = log;
    this.maxLength = log.maxLength();
    this.segment = segment;
    this.position = position;
    this.number = number;
    this.time = time;
    this.view = new MovableMessage(segment.memory(), log.transfers());
  }

  // ---- claims ----

  /**
   * Claims room for the next message. If the message needs a new segment that is not ready yet,
   * this method does not wait, and claims nothing.
   *
   * @param type the kind of message, which may be any number that its reader understands
   * @param length the message's length in bytes, from 0 to {@link MessageLog#maxLength()}
   * @return the message, whose bytes are zero, or null while the log's thread is making a segment
   * @throws IllegalArgumentException if the length is out of range
   * @throws IllegalStateException if a claim is open, or the log or the producer is closed
   * @throws UncheckedIOException if the log's thread could not make the segment, in which case the
   *     thread tries again, or if a force has failed
   */
  public @Nullable Message tryClaim(int type, int length) {
    return claim(type, length, 1, false) > 0 ? view : null;
  }

  /**
   * Claims room for the next message. If the message needs a new segment that is not ready yet,
   * this method waits for the segment or makes it.
   *
   * @param type the kind of message, which may be any number that its reader understands
   * @param length the message's length in bytes, from 0 to {@link MessageLog#maxLength()}
   * @return the message, whose bytes are zero; never null
   * @throws IllegalArgumentException if the length is out of range
   * @throws IllegalStateException if a claim is open, or the log or the producer is closed
   * @throws UncheckedIOException if the segment cannot be made, or a force has failed
   */
  @SuppressWarnings("NullAway") // it waits until there is room
  public Message claim(int type, int length) {
    return claim(type, length, 1, true) > 0 ? view : null;
  }

  /**
   * Claims room for a run of messages of the same length. If the run needs a new segment that is
   * not ready yet, this method does not wait, and claims nothing.
   *
   * @param type the kind of the messages, which may be any number that their reader understands
   * @param length the length of each message in bytes, from 0 to {@link MessageLog#maxLength()}
   * @param limit the most messages to claim, at least 1
   * @return how many messages were claimed, to be written with {@link #at}: as many as the segment
   *     has room for, up to the limit, or 0 while the log's thread is making a segment
   * @throws IllegalArgumentException if the length or the limit is out of range
   * @throws IllegalStateException if a claim is open, or the log or the producer is closed
   * @throws UncheckedIOException if the log's thread could not make the segment, in which case the
   *     thread tries again, or if a force has failed
   */
  public int tryClaim(int type, int length, int limit) {
    return claim(type, length, limit, false);
  }

  /**
   * Claims room for a run of messages of the same length. If the run needs a new segment that is
   * not ready yet, this method waits for the segment or makes it.
   *
   * @param type the kind of the messages, which may be any number that their reader understands
   * @param length the length of each message in bytes, from 0 to {@link MessageLog#maxLength()}
   * @param limit the most messages to claim, at least 1
   * @return how many messages were claimed, to be written with {@link #at}: as many as the segment
   *     has room for, at least 1 and at most the limit
   * @throws IllegalArgumentException if the length or the limit is out of range
   * @throws IllegalStateException if a claim is open, or the log or the producer is closed
   * @throws UncheckedIOException if the segment cannot be made, or a force has failed
   */
  public int claim(int type, int length, int limit) {
    return claim(type, length, limit, true);
  }

  /** Claims messages, and checks that the producer is used by one thread at a time. */
  private int claim(int type, int length, int limit, boolean waits) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    int claims = beginClaim(type, length, limit, waits);
    assert role.end(call);
    return claims;
  }

  private int beginClaim(int type, int length, int limit, boolean waits) {
    if (length < 0 || length > maxLength) {
      Checks.inRange("length", length, 0, maxLength);
    }
    if (limit < 1) {
      Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    }
    log.checkOpen();
    if (claimed != NO_CLAIM || isClosed) {
      throw isClosed ? closed() : claimAlreadyOpen();
    }
    long room = LogSegment.room(length);
    if (room > segment.limit() - position && !tryRoll(waits)) {
      return 0;
    }
    claimed = length;
    this.type = type;
    count = limit == 1 ? 1 : (int) Math.min(limit, (segment.limit() - position) / room);
    segment.show(view, position, type, length);
    return count;
  }

  private boolean tryRoll(boolean waits) {
    LogSegment next = log.roll(segment, position, number, time, waits);
    if (next == null) {
      return false;
    }
    segment = next;
    position = SegmentHeader.BYTES;
    time = Math.max(time, next.header().created());
    view.switchTo(next.memory());
    return true;
  }

  /**
   * Moves the view to a message of the open claim.
   *
   * @param index which message of the run, from 0
   * @return the message, whose bytes are zero unless they were written
   * @throws IndexOutOfBoundsException if the claim has no such message, or no claim is open
   */
  public Message at(int index) {
    if (claimed == NO_CLAIM || index < 0 || index >= count) {
      throw new IndexOutOfBoundsException(
          "no such message in the open claim: index=" + index + ", " + log);
    }
    segment.show(view, position + index * LogSegment.room(claimed), type, claimed);
    return view;
  }

  // ---- ending a claim ----

  /**
   * Appends the messages of the open claim. The messages get consecutive numbers and one common
   * time, and become visible one after the other.
   *
   * @throws IllegalStateException if no claim is open, or the log is closed
   */
  public void commit() {
    endClaim(WHOLE);
  }

  /**
   * Appends a message that is shorter than its claim. The message consists of the first bytes of
   * the claim. The other bytes of the claim are cleared and left to the next message.
   *
   * @param length the message's length in bytes, from 0 to the length claimed
   * @throws IllegalArgumentException if the length is out of range. The claim stays open
   * @throws IllegalStateException if no claim is open, if it has several messages, or if the log is
   *     closed
   */
  public void commit(int length) {
    if (length < 0) {
      checkClaimed();
      Checks.inRange("length", length, 0, claimed);
    }
    endClaim(length);
  }

  /**
   * Gives up the open claim and clears its bytes, so that no reader sees the messages of the claim.
   *
   * @throws IllegalStateException if no claim is open, or the log is closed
   */
  public void abort() {
    endClaim(NOTHING);
  }

  /**
   * Ends the claim, committing {@code length} bytes, WHOLE or NOTHING, and checks that the producer
   * is used by one thread at a time.
   */
  private void endClaim(int length) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    finishClaim(length);
    assert role.end(call);
  }

  private void finishClaim(int length) {
    checkClaimed();
    if (length == NOTHING) {
      clear(0);
    } else if (length == WHOLE) {
      commitEach(claimed);
    } else {
      shorten(length);
      commitEach(length);
    }
    claimed = NO_CLAIM;
    view.exit();
  }

  private void checkClaimed() {
    if (claimed == NO_CLAIM) {
      throw noClaim();
    }
    log.checkOpen();
  }

  private void shorten(int length) {
    if (count > 1) {
      throw new IllegalStateException(
          "only a claim of one message can be shortened: count=" + count + ", " + log);
    }
    Checks.inRange("length", length, 0, claimed);
    clear(length);
  }

  /**
   * Clears the claim, starting at byte {@code from}, because only zeros may follow the last
   * message.
   */
  private void clear(int from) {
    segment.clear(position, from, (count - 1) * LogSegment.room(claimed) + claimed);
  }

  private void commitEach(int length) {
    time = Math.max(time, log.now());
    LogSegment into = segment;
    long room = LogSegment.room(length);
    int left = count;
    long at = position;
    long next = number;
    try {
      for (; left > 0; left--) {
        into.append(at, next, type, length, time);
        at += room;
        next++;
      }
    } finally {
      count = left; // if something was thrown, the claim keeps the other messages
      position = at;
      number = next;
      log.markWritten(next);
    }
  }

  // ---- copies ----

  /**
   * Appends a copy of a message.
   *
   * @param type the kind of message
   * @param bytes the bytes to copy
   * @return the message's number
   * @throws IllegalArgumentException if the message is longer than {@link MessageLog#maxLength()}
   * @throws IllegalStateException as for {@link #claim(int, int)}
   * @throws UncheckedIOException as for {@link #claim(int, int)}
   */
  public long append(int type, MemorySegment bytes) {
    return append(type, bytes.byteSize(), bytes, NO_PARTS);
  }

  /**
   * Appends a message that is copied from several parts.
   *
   * @param type the kind of message
   * @param parts the bytes to copy, one part after the other
   * @return the message's number
   * @throws IllegalArgumentException if the parts are longer than {@link MessageLog#maxLength()}
   * @throws IllegalStateException as for {@link #claim(int, int)}
   * @throws UncheckedIOException as for {@link #claim(int, int)}
   */
  public long append(int type, MemorySegment... parts) {
    long length = 0;
    for (MemorySegment part : parts) {
      length += part.byteSize();
    }
    return append(type, length, MemorySegment.NULL, parts);
  }

  private long append(int type, long length, MemorySegment first, MemorySegment[] rest) {
    Message message = claim(type, (int) Checks.inRange("length", length, 0, maxLength));
    try {
      message.putBytes(0, first);
      int at = (int) first.byteSize();
      for (MemorySegment part : rest) {
        message.putBytes(at, part);
        at += (int) part.byteSize();
      }
      commit();
    } catch (Throwable e) { // for example because the source is closed or belongs to another thread
      abort();
      throw e;
    }
    return number - 1;
  }

  /**
   * Returns the number of the last message appended, for use with {@link MessageLog#awaitDurable}.
   *
   * @return the number, which is one less than the number of the next message, and so -1 in a new
   *     log
   */
  public long number() {
    return number - 1;
  }

  /**
   * Forces all committed messages to the disk and waits until they have reached it, as {@link
   * MessageLog#sync()} does.
   *
   * @throws UncheckedIOException if a force fails, or one has already failed
   * @throws IllegalStateException if the log is closed
   */
  public void sync() {
    log.sync();
  }

  /** Aborts the open claim, if there is one, and lets the log make a new producer. */
  @Override
  public void close() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (!isClosed) {
      if (log.isClosed()) {
        view.exit();
      } else if (claimed != NO_CLAIM) {
        finishClaim(NOTHING);
      }
      isClosed = true;
      log.retire(position, time);
    }
    assert role.end(call);
  }

  private IllegalStateException closed() {
    return new IllegalStateException("producer is closed: " + log);
  }

  private IllegalStateException claimAlreadyOpen() {
    return new IllegalStateException("a claim is already open, commit or abort it first: " + log);
  }

  private IllegalStateException noClaim() {
    return new IllegalStateException("no open claim: " + log);
  }

  /** Returns a string that names the log. */
  @Override
  public String toString() {
    return "LogProducer of " + log;
  }
}
