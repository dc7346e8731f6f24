package dev.millrace.queues.messages;

import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.WaitPlace;
import dev.millrace.core.internal.Waiters;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.internal.RingPeers.Seat;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts messages into a {@link MessageQueue}. A claim hands out a free stretch of memory. The caller
 * writes a message into this memory, and then commits the claim:
 *
 * {@snippet file="Examples.java" region="message"}
 *
 * <p>At a lower cost than with a claim for each message, you can claim and commit several messages
 * of the same length as one run:
 *
 * {@snippet file="Examples.java" region="message-run"}
 *
 * <p>You can also divide one claim among messages of different types and lengths, again at a lower
 * cost than with a claim for each message:
 *
 * {@snippet file="Examples.java" region="message-next"}
 *
 * <p><b>Roles.</b> A producer belongs to one thread at a time. A thread may hand the producer over
 * to another thread if the hand-over establishes a happens-before edge between the calls of the two
 * threads. With assertions enabled ({@code -ea}), overlapping calls throw an {@link
 * AssertionError}. With assertions disabled, overlapping calls may lose or mix messages, but memory
 * stays safe.
 *
 * <p><b>Progress.</b> See {@link MessageQueue}. Only the {@code claim} methods wait.
 *
 * <p><b>Failure.</b> While the queue is full, {@code tryClaim} returns null or 0, {@code offer}
 * returns false, and {@code claim} does what the queue's {@link dev.millrace.core.OnFull} says. The
 * following throw {@link IllegalStateException}: a claim while another one is open, a commit or an
 * abort while no claim is open, and a claim in a completed queue.
 *
 * @since 0.1.0
 */
public final class MessageProducer extends CellClaims implements AutoCloseable {
  // This class has the messages of a claim and publishes them. CellClaims has the protocol of
  // claims, and MessageQueue that of the queue.

  // takes the oldest messages; null unless they are dropped
  private final @Nullable MessageConsumer dropping;
  private final Waiters waiters;
  private final WaitPlace waitPlace;
  private final @Nullable LongSupplier clock; // null if messages have no time
  private final int timeBytes;
  private final int maxLength;

  private int before; // cells of the open claim before the message in hand
  private final Role role = new Role("MessageProducer allows one thread at a time");

  MessageProducer(
      MessageQueue queue, @Nullable LongSupplier clock, boolean dropsOldest, @Nullable Seat seat) {
    super(queue, dropsOldest, seat);
    this.dropping = dropsOldest ? queue.newConsumer() : null;
    this.waiters = queue.producerWaiters;
    this.waitPlace = new WaitPlace(waiters);
    this.clock = clock;
    this.timeBytes = clock == null ? 0 : Message.TIME_BYTES;
    this.maxLength = queue.maxLength() - timeBytes;
  }

  // ---- claims ----

  /**
   * Claims room for a message.
   *
   * @param type the kind of message, which may be any number that its reader understands
   * @param length the message's length in bytes, from 0 to {@link MessageQueue#maxLength()}
   * @return the message, whose bytes still hold old values, or null if the queue is full
   * @throws IllegalArgumentException if the length is out of range
   * @throws IllegalStateException if a claim is open, if the queue was completed, or if stalled
   *     producers hold so many cells that there can be no room for the message
   */
  public @Nullable Message tryClaim(int type, int length) {
    return tryClaimUpTo(type, length, 1) ? view : null;
  }

  /**
   * Claims room for a run of messages of the same length, which are committed together.
   *
   * @param type the kind of the messages, which may be any number that their reader understands
   * @param length the length of each message in bytes, from 0 to {@link MessageQueue#maxLength()}
   * @param limit the most messages to claim, at least 1
   * @return how many messages were claimed, to be written with {@link #at}, or 0 if the queue is
   *     full. A claim has as many messages as fit before the end of the memory, but at most the
   *     limit, and at most 65,535 cells in all. A claim has only one message if its first message
   *     would wrap past the end of the memory, if the queue has a stall limit, or if the queue is
   *     in a file and has many producers
   * @throws IllegalArgumentException if the length or the limit is out of range
   * @throws IllegalStateException as for {@link #tryClaim(int, int)}
   */
  public int tryClaim(int type, int length, int limit) {
    if (limit < 1) {
      Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    }
    return tryClaimUpTo(type, length, limit) ? count : 0;
  }

  private boolean tryClaimUpTo(int type, int length, int limit) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (length < 0 || length > maxLength) {
      Checks.inRange("length", length, 0, maxLength);
    }
    if (isClaimOpen()) {
      throw new IllegalStateException(
          "a claim is already open, commit or abort it first: " + queue);
    }
    int cells = cells(length + timeBytes);
    long sequence = claimCells(cells, limit);
    if (sequence >= 0) {
      view.moveTo(queue.start(sequence), type, length, timeBytes > 0);
    } else if (sequence == Ring.CLOSED) {
      throw new IllegalStateException("queue is completed, it takes no more messages: " + queue);
    }
    assert role.end(call);
    return sequence >= 0;
  }

  /**
   * Claims room for a message, waiting while the queue is full.
   *
   * @param type the kind of message
   * @param length the message's length in bytes, from 0 to {@link MessageQueue#maxLength()}
   * @return the message; null only if the queue is full and drops new messages
   * @throws IllegalArgumentException if the length is out of range
   * @throws IllegalStateException as for {@link #tryClaim(int, int)}
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public @Nullable Message claim(int type, int length) throws InterruptedException {
    return claim(type, length, 1) > 0 ? view : null;
  }

  /**
   * Claims room for a run of messages of the same length, which are committed together. The call
   * waits while the queue is full.
   *
   * @param type the kind of the messages
   * @param length the length of each message in bytes, from 0 to {@link MessageQueue#maxLength()}
   * @param limit the most messages to claim, at least 1
   * @return how many were claimed, as for {@link #tryClaim(int, int, int)}; 0 only if the queue is
   *     full and drops new messages
   * @throws IllegalArgumentException if the length or the limit is out of range
   * @throws IllegalStateException as for {@link #tryClaim(int, int)}
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public int claim(int type, int length, int limit) throws InterruptedException {
    int claimed = tryClaim(type, length, limit);
    return claimed > 0 || queue.state.tryRefuse(limit)
        ? claimed
        : await(type, length, limit, WaitStrategy.FOREVER);
  }

  /**
   * Claims room for a message, waiting up to a time limit while the queue is full.
   *
   * @param type the kind of message
   * @param length the message's length in bytes, from 0 to {@link MessageQueue#maxLength()}
   * @param timeout how long to wait; zero or less tries once
   * @return the message, or null if the queue is still full
   * @throws IllegalArgumentException if the length is out of range
   * @throws IllegalStateException as for {@link #tryClaim(int, int)}
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public @Nullable Message claim(int type, int length, Duration timeout)
      throws InterruptedException {
    Message claimed = tryClaim(type, length);
    if (claimed != null) {
      return claimed;
    }
    return await(type, length, 1, Checks.nanos("timeout", timeout)) > 0 ? view : null;
  }

  private int await(int type, int length, int limit, long nanos) throws InterruptedException {
    int need = cells(length + timeBytes); // others may need fewer
    long deadline = Waiters.deadline(nanos);
    long step = 0;
    try {
      while (true) {
        do {
          if (tryClaimUpTo(type, length, limit)) {
            return count;
          }
        } while (tryDropOldest());
        step = waiters.pause(waitPlace, step, deadline, need);
        if (step == Waiters.TIMED_OUT) {
          return 0;
        }
      }
    } finally {
      waiters.leave(waitPlace, step);
    }
  }

  /** Drops the oldest message, unless a consumer has in hand the cells that must be freed first. */
  private boolean tryDropOldest() {
    if (dropping == null || queue.isOldestInHand() || dropping.tryPoll() == null) {
      return false;
    }
    queue.countPassed(dropping.cellsInHand());
    dropping.release();
    queue.state.countDropped(1);
    return true;
  }

  /**
   * Moves the view to a message of the open claim.
   *
   * @param index which message of the run, from 0. If {@link #next} has divided the claim, 0 is the
   *     message in hand
   * @return the message, whose bytes still hold old values unless they were written
   * @throws IndexOutOfBoundsException if the claim has no such message, or no claim is open
   */
  public Message at(int index) {
    if (index < 0 || index >= count || !isClaimOpen()) {
      throw new IndexOutOfBoundsException(
          "no such message in the open claim: index=" + index + ", " + queue);
    }
    long sequence = own.next() + before + (long) index * cells(view.length + timeBytes);
    view.moveTo(queue.start(sequence), view.type, view.length, timeBytes > 0);
    return view;
  }

  /**
   * Ends the message in hand and begins the next one in the rest of the open claim. With {@code
   * next}, several messages of any types and lengths share one claim and one commit.
   *
   * <p>Each message takes whole cells. To put several messages of known lengths into one claim,
   * compute the length to claim as follows. Count an empty message as one byte. If the producer has
   * a clock, add 8 bytes to each length except the last. Round up each length except the last to a
   * multiple of {@link MessageQueue#CELL_BYTES}. Then claim the sum of all lengths.
   *
   * @param length the final length of the message in hand, from 0 to its present length
   * @param type the kind of the next message
   * @param least the fewest bytes that the next message needs
   * @return the next message, with all the bytes that are left, or null if too few bytes are left,
   *     the queue has a stall limit, or the queue is in a file and has many producers. If the
   *     result is null, nothing has changed
   * @throws IllegalArgumentException if a length is out of range
   * @throws IllegalStateException if no claim is open, or if the claim is a run of several messages
   */
  public @Nullable Message next(int length, int type, int least) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    checkShortened(length);
    Checks.inRange("least", least, 0, maxLength);
    long sequence = own.next() + before;
    int cells = cells(length + timeBytes);
    int rest = view.length - (cells << MessageQueue.CELL_SHIFT);
    boolean isThere = rest >= least && sequence + cells < own.end() && revocable == null;
    if (isThere) {
      MessageQueue.putHeader(view.memory(), queue.entry(sequence), view.header(length));
      before += cells;
      view.moveTo(queue.start(sequence + cells), type, rest, timeBytes > 0);
    }
    assert role.end(call);
    return isThere ? view : null;
  }

  // ---- ending a claim ----

  /**
   * Publishes the messages of the open claim. If the producer has a clock, all messages of the
   * claim get the same time. Consumers find all messages of the claim or none, but {@link
   * MessageQueue#snapshot} may show only some of the messages.
   *
   * @throws IllegalStateException if no claim is open, or if the claim was given up because it was
   *     open for longer than the stall limit, or because another process took this process for
   *     dead. If the claim was given up, its messages are lost, and no claim is open afterwards
   */
  public void commit() {
    end(view.length, Stamps.COMMITTED);
  }

  /**
   * Shortens the message in hand to its final length, and publishes the open claim. The claim's
   * other cells stay unused until the message is released.
   *
   * @param length the final length, from 0 to the message's present length
   * @throws IllegalArgumentException if the length is out of range. The claim stays open
   * @throws IllegalStateException as for {@link #commit()}, or if the claim is a run of several
   *     messages, in which case it stays open
   */
  public void commit(int length) {
    checkShortened(length);
    end(length, Stamps.COMMITTED);
  }

  /**
   * Gives up the open claim, so that consumers see none of its messages.
   *
   * @throws IllegalStateException if no claim is open
   */
  public void abort() {
    end(0, Stamps.ABORTED);
  }

  private void checkOpen() {
    if (!isClaimOpen()) {
      throw new IllegalStateException("no open claim: " + queue);
    }
  }

  private void checkShortened(int length) {
    checkOpen();
    if (count > 1) {
      throw new IllegalStateException(
          "only a claim of one message can be shortened: count=" + count + ", " + queue);
    }
    Checks.inRange("length", length, 0, view.length);
  }

  private void end(int length, long state) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    checkOpen();
    boolean commits = state == Stamps.COMMITTED;
    // first: if it throws, the claim is still open
    long time = commits && clock != null ? clock.getAsLong() : 0;
    long first = own.next();
    long end = own.end();
    own.next(end);
    int cells = (int) (end - first);
    long header = view.header(length);
    view.leave();
    boolean isEnded;
    try {
      if (commits && (count > 1 || before > 0)) {
        header = publishBehind(first, end, header, time);
        cells = cellsOf(header);
      }
      if (count > 1) {
        count = 1;
      } else if (before > 0) {
        before = 0;
      }
      // last, so that a consumer that finds the first message finds them all
      isEnded = commits ? publish(first, cells, header, time) : publish(first, cells, state);
    } catch (IllegalStateException e) {
      throwIfLost(commits, e);
      isEnded = true; // there is nothing to give back
    }
    assert role.end(call);
    signal();
    if (!isEnded && commits) {
      throw lost();
    }
  }

  private IllegalStateException lost() {
    if (!view.memory().scope().isAlive()) {
      return new IllegalStateException("closed, so the message is lost: " + queue);
    }
    return new IllegalStateException(
        queue.words == null
            ? "claim was given up, because it was open for longer than the stall limit: " + queue
            : "claim was given up, because it was open for longer than the stall limit, or another"
                + " process took this one for dead: "
                + queue);
  }

  /** Throws, unless the claim is being given up and the queue's memory is freed. */
  private void throwIfLost(boolean commits, IllegalStateException failure) {
    if (!queue.isCompleted()) {
      throw failure;
    }
    if (commits) {
      throw new IllegalStateException("closed, so the message is lost: " + queue, failure);
    }
  }

  /** Publishes all messages of a claim except the first, and returns the header of the first. */
  private long publishBehind(long first, long end, long header, long time) {
    if (count > 1) {
      int cells = cellsOf(header);
      for (long sequence = end - cells; sequence > first; sequence -= cells) {
        publish(sequence, cells, header, time);
      }
      return header;
    }
    long last = first + before;
    publish(last, (int) (end - last), header, time);
    long headerOfFirst = headerAt(first);
    int cells = cellsOf(headerOfFirst);
    for (long sequence = first + cells; sequence < last; sequence += cells) {
      long next = headerAt(sequence);
      cells = cellsOf(next);
      publish(sequence, cells, next, time);
    }
    return headerOfFirst;
  }

  private long headerAt(long sequence) {
    return MessageQueue.header(view.memory(), queue.entry(sequence));
  }

  private static int cellsOf(long header) {
    return cells((int) Message.bytesIn(header));
  }

  private boolean publish(long sequence, int cells, long header, long time) {
    if (clock != null) {
      view.putTime(queue.start(sequence), time);
    }
    // the JIT has just checked the view's memory
    MessageQueue.putHeader(view.memory(), queue.entry(sequence), header);
    return publish(sequence, cells, Stamps.COMMITTED);
  }

  // ---- copies ----

  /**
   * Copies a message into the queue. If copying fails, the claim is aborted.
   *
   * @param type the kind of message
   * @param bytes the bytes to copy
   * @return whether there was room
   * @throws IllegalArgumentException if the message is longer than {@link MessageQueue#maxLength()}
   * @throws IllegalStateException as for {@link #tryClaim(int, int)}
   */
  public boolean offer(int type, MemorySegment bytes) {
    long length = Checks.inRange("length", bytes.byteSize(), 0, maxLength);
    Message message = tryClaim(type, (int) length);
    if (message == null) {
      return false;
    }
    try {
      message.putBytes(0, bytes);
      commit();
    } finally {
      abortIfOpen();
    }
    return true;
  }

  /**
   * Copies several parts into the queue as one message. If copying fails, the claim is aborted.
   *
   * @param type the kind of message
   * @param parts the bytes to copy, one part after the other
   * @return whether there was room
   * @throws IllegalArgumentException if the parts together are longer than {@link
   *     MessageQueue#maxLength()}
   * @throws IllegalStateException as for {@link #tryClaim(int, int)}
   */
  public boolean offer(int type, MemorySegment... parts) {
    long length = 0;
    for (MemorySegment part : parts) {
      length += part.byteSize();
    }
    Message message = tryClaim(type, (int) Checks.inRange("length", length, 0, maxLength));
    if (message == null) {
      return false;
    }
    try {
      int at = 0;
      for (MemorySegment part : parts) {
        message.putBytes(at, part);
        at += (int) part.byteSize();
      }
      commit();
    } finally {
      abortIfOpen();
    }
    return true;
  }

  /**
   * Aborts the open claim, if there is one. The queue and its other producers are not affected. In
   * a queue between processes, the producer also gives up its place, so that a new producer can
   * take it.
   */
  @Override
  public void close() {
    abortIfOpen();
    leave();
  }

  private void abortIfOpen() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    boolean isOpen = isClaimOpen();
    assert role.end(call);
    if (isOpen) {
      try {
        abort();
      } catch (IllegalStateException e) {
        if (!queue.isCompleted()) {
          throw e;
        } // else the claim is lost with the memory
      }
    }
  }

  /** Returns a string that names the queue. */
  @Override
  public String toString() {
    return "MessageProducer of " + queue;
  }
}
