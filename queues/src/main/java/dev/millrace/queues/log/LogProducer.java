package dev.millrace.queues.log;

import dev.millrace.core.internal.Role;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.internal.MovableMessage;
import dev.millrace.queues.messages.Message;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;

/**
 * The end of a {@link MessageLog} at which messages are appended. It hands out the place after the
 * last message, in which the next one, or a run of them, is written and then committed:
 *
 * {@snippet file="Examples.java" region="log-append"}
 *
 * <p><b>Roles.</b> Belongs to one thread at a time. It may be handed to another thread if the
 * hand-over orders their calls. With assertions enabled ({@code -ea}) overlapping calls throw an
 * {@link AssertionError}; without them messages may be damaged, but memory stays safe.
 *
 * <p><b>Progress.</b> Commit and abort are wait-free. A claim waits only for a new segment, if the
 * log's thread has not made it yet; {@code tryClaim} returns null or 0 instead.
 *
 * <p><b>Failure.</b> A claim that needs a segment which cannot be made throws {@link
 * UncheckedIOException}; nothing is lost, and it may be tried again. An append that throws has
 * appended nothing and leaves no claim open. A claim while another is open, a commit or an abort
 * while none is, and claims of a log that was closed throw {@link IllegalStateException}.
 *
 * @since 0.1.0
 */
public final class LogProducer implements AutoCloseable {
  private static final int NO_CLAIM = -1; // in place of a length
  private static final int WHOLE = -1; // how much of a claim is committed, if not so many bytes
  private static final int NOTHING = -2;
  private static final MemorySegment[] NO_PARTS = {};

  private final MessageLog log;
  private final int maxLength;
  private final MovableMessage view;
  private final Role role = new Role("LogProducer allows one thread at a time");

  private LogSegment segment;
  private long position; // of the next message
  private long number;
  private long time; // of the last message
  private int claimed = NO_CLAIM; // bytes of each message of the open claim
  private int type;
  private int count; // of these messages
  private boolean isClosed;

  LogProducer(MessageLog log, LogSegment segment, long position, long number, long time) {
    this.log = log;
    this.maxLength = log.maxLength();
    this.segment = segment;
    this.position = position;
    this.number = number;
    this.time = time;
    this.view = new MovableMessage(segment.memory());
  }

  // ---- claims ----

  /**
   * Claims the place of the next message, unless the segment that it needs is not there yet.
   *
   * @param type what kind of message it is, for its reader: any number
   * @param length its bytes, from 0 to {@link MessageLog#maxLength()}
   * @return the message, whose bytes are zero; null while the log's thread makes a segment
   * @throws IllegalArgumentException if the length is out of range
   * @throws IllegalStateException if a claim is open, or the log or the producer is closed
   * @throws UncheckedIOException if the log's thread could not make the segment; it tries again
   */
  public Message tryClaim(int type, int length) {
    return claim(type, length, 1, false) > 0 ? view : null;
  }

  /**
   * Claims the place of the next message; waits for a new segment if it needs one that is not there
   * yet.
   *
   * @param type what kind of message it is, for its reader: any number
   * @param length its bytes, from 0 to {@link MessageLog#maxLength()}
   * @return the message, whose bytes are zero; never null
   * @throws IllegalArgumentException if the length is out of range
   * @throws IllegalStateException if a claim is open, or the log or the producer is closed
   * @throws UncheckedIOException if the segment cannot be made, or a force has failed
   */
  public Message claim(int type, int length) {
    return claim(type, length, 1, true) > 0 ? view : null;
  }

  /**
   * Claims the places of a run of messages of one length, unless the segment that it needs is not
   * there yet.
   *
   * @param type what kind of messages they are, for their reader: any number
   * @param length the bytes of each, from 0 to {@link MessageLog#maxLength()}
   * @param limit the most messages to claim, at least 1
   * @return how many were claimed, to be written with {@link #at}; as many as the segment has room
   *     for, up to the limit; 0 while the log's thread makes a segment
   * @throws IllegalArgumentException if the length or the limit is out of range
   * @throws IllegalStateException if a claim is open, or the log or the producer is closed
   * @throws UncheckedIOException if the log's thread could not make the segment; it tries again
   */
  public int tryClaim(int type, int length, int limit) {
    return claim(type, length, limit, false);
  }

  /**
   * Claims the places of a run of messages of one length; waits for a new segment if it needs one
   * that is not there yet.
   *
   * @param type what kind of messages they are, for their reader: any number
   * @param length the bytes of each, from 0 to {@link MessageLog#maxLength()}
   * @param limit the most messages to claim, at least 1
   * @return how many were claimed, to be written with {@link #at}; as many as the segment has room
   *     for, at least 1 and at most the limit
   * @throws IllegalArgumentException if the length or the limit is out of range
   * @throws IllegalStateException if a claim is open, or the log or the producer is closed
   * @throws UncheckedIOException if the segment cannot be made, or a force has failed
   */
  public int claim(int type, int length, int limit) {
    return claim(type, length, limit, true);
  }

  /** The role check of each claim. */
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
   * Appends the messages of the open claim, with the next numbers and the same time. They become
   * visible one after the other.
   *
   * @throws IllegalStateException if no claim is open, or the log is closed
   */
  public void commit() {
    endClaim(WHOLE);
  }

  /**
   * Appends the first bytes of the open claim, when it was longer than the message. The others are
   * cleared, and the next message goes there.
   *
   * @param length from 0 to the length that was claimed
   * @throws IllegalArgumentException if the length is out of range; the claim stays open
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
   * Gives up the open claim: none of its messages will be seen, and their bytes are cleared.
   *
   * @throws IllegalStateException if no claim is open, or the log is closed
   */
  public void abort() {
    endClaim(NOTHING);
  }

  /** The role check of each end of a claim; commits so many bytes, WHOLE, or NOTHING. */
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

  /** Clears the claim from a byte on: only zeros may follow the last message. */
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
      count = left; // if something was thrown, the claim is of the others
      position = at;
      number = next;
      log.markWritten(next);
    }
  }

  // ---- copies ----

  /**
   * Appends a message that is copied.
   *
   * @param type what kind of message it is
   * @param bytes its bytes
   * @return its number
   * @throws IllegalArgumentException if it is longer than {@link MessageLog#maxLength()}
   * @throws IllegalStateException as for {@link #claim(int, int)}
   * @throws UncheckedIOException as for {@link #claim(int, int)}
   */
  public long append(int type, MemorySegment bytes) {
    return append(type, bytes.byteSize(), bytes, NO_PARTS);
  }

  /**
   * Appends a message, copied from several parts.
   *
   * @param type what kind of message it is
   * @param parts its bytes, one part after the other
   * @return its number
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
    } catch (Throwable e) { // as of bytes that are closed, or another thread's
      abort();
      throw e;
    }
    return number - 1;
  }

  /**
   * Which message was appended last, to be waited for with {@link MessageLog#awaitDurable}.
   *
   * @return its number; that before the first one if there is none yet, so -1 in a new log
   */
  public long number() {
    return number - 1;
  }

  /**
   * Forces all that is committed to the disk, and waits for it: {@link MessageLog#sync()}.
   *
   * @throws UncheckedIOException if that fails, or has failed before
   * @throws IllegalStateException if the log is closed
   */
  public void sync() {
    log.sync();
  }

  /** Aborts an open claim, if there is one. Then the log may make another producer. */
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

  /** Returns what it is the producer of. */
  @Override
  public String toString() {
    return "LogProducer of " + log;
  }
}
