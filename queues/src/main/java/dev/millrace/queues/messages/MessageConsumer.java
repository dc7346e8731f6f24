package dev.millrace.queues.messages;

import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.WaitPlace;
import dev.millrace.core.internal.Waiters;
import dev.millrace.core.internal.ring.Cursor;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.internal.RingPeers.Seat;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Takes messages out of a {@link MessageQueue} and reads them in place. What {@link Consumer} says
 * about records applies to messages here. The messages of a run can have different lengths. {@link
 * #at} therefore steps from one message to the next until it reaches the requested message. The
 * method starts at the message that it returned last, or at the first message if the requested
 * index is lower than the previous one.
 *
 * <p>In a queue with many consumers, methods that call a handler take one message at a time. If the
 * handler throws, later messages stay in the queue, and any consumer can take them.
 *
 * @since 0.1.0
 */
public final class MessageConsumer extends Consumer<Message> {
  /*
   * MessageQueue describes the protocol.
   *
   * A  STAMP.setRelease in               ->  STAMP.getAcquire in       header and bytes
   *    CellClaims.publish                    stampAt
   * B  head.setRelease in freeUpTo       ->  head.getAcquire in        cells are free again
   *                                           Gate.slowest
   * C  head.weakCompareAndSetRelease in  ->  head.getAcquire in        the tail that let the head get
   *    tryTake                               FreedCells.takenEnd       so far
   * D  STAMP.setRelease in stampFree     ->  stamp.getAcquire in       cells are free again
   *                                           Stamps.read
   */
  private static final long HANDLING = -1; // the end of the open poll while a handler runs
  private static final int MOST_FOR_EACH = 256; // messages that forEach takes at once
  private static final int FEW_CELLS = 128 / MessageQueue.CELL_BYTES; // not worth rewriting
  private static final int MOST_REWRITTEN = (1 << 20) / MessageQueue.CELL_BYTES; // of the queue
  private static final int MOST_HANDLED = (32 << 10) / MessageQueue.CELL_BYTES; // before freeing
  private static final int ENTRIES_PER_LINE = 64 / MessageQueue.ENTRY_BYTES; // a cell has one
  private static final int LOOKS_PER_LAP = 16; // each takes the tail's line from the producers

  private final MessageQueue queue;
  private final Ring ring;
  private final Stamps stamps;
  private final Sequence head;
  private final boolean shares; // the messages with other consumers
  private final Waiters waiters;
  private final WaitPlace waitPlace;
  private final boolean signals;
  private final @Nullable SharedWords words; // null unless several processes map the memory
  private final @Nullable Seat seat; // likewise
  private final @Nullable SharedPolls polls; // likewise, and with one consumer

  private final Cursor own = new Cursor(); // the cells of the open poll; empty if none is open
  private final Message view;
  private boolean rewrites; // the cells that it frees
  private long nextLook; // the sequence at which to decide that again
  private final Role role = new Role("MessageConsumer allows one thread at a time");
  private int atIndex; // of the message that at returned last
  private long atSequence; // where that message begins
  private int wanted; // limit of a poll that waits
  private final Waiters.Attempt again = () -> tryPoll(wanted) > 0 || isDrained();
  private final Waiters.Attempt strictly = this::tryPollStrictly;

  MessageConsumer(MessageQueue queue, @Nullable Seat seat) {
    this.queue = queue;
    this.ring = queue.ring;
    this.stamps = queue.stamps;
    this.head = queue.head;
    this.shares = queue.manyConsumers;
    this.nextLook = ring.mask() < MOST_REWRITTEN ? 0 : Long.MAX_VALUE;
    this.waiters = queue.consumerWaiters;
    this.waitPlace = new WaitPlace(waiters);
    this.signals = queue.producerWaiters.needSignals();
    this.view = new Message(ring.memory(), queue.transfers);
    this.words = queue.words;
    this.seat = seat;
    this.polls = seat == null ? null : queue.polls(seat);
    if (words != null && polls == null) {
      own.next(words.beginConsuming());
      own.end(own.next());
    }
  }

  // ---- taking ----

  @Override
  public @Nullable Message tryPoll() {
    return tryPoll(1) > 0 ? view : null;
  }

  @Override
  public int tryPoll(int limit) {
    if (limit < 1) {
      Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    }
    int count = tryTake(limit);
    if (count > 0) {
      moveTo(own.next());
    }
    return count;
  }

  /**
   * Takes messages, after checking that no poll is open and that no call of another thread
   * overlaps.
   */
  private int tryTake(int limit) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.end() != own.next()) {
      throw new IllegalStateException("a poll is already open, release it first: " + queue);
    }
    if (seat != null) {
      seat.check();
    }
    int count = takeAny(limit);
    assert role.end(call);
    return count;
  }

  private int takeAny(int limit) {
    try {
      return polls == null ? take(limit) : takeOrInherit(polls, limit);
    } catch (IllegalStateException e) {
      if (!queue.isCompleted()) {
        throw e; // the user freed the memory too early, or the consumer was shut out
      }
      return 0; // the queue is closed
    }
  }

  private int take(int limit) {
    while (true) {
      long first = shares ? sharedHead() : own.next();
      long word = stampAt(first); // acquire A; linearizes with one consumer
      if (!stamps.isCommitted(word, first)) {
        if (words != null) {
          words.checkStamp(first, word);
        }
        int ready = queue.ready(first, word);
        if (ready == 0) {
          return 0;
        }
        if (words != null) {
          words.checkTail(first);
        }
        if (ready < 0 && ready != Stamps.LOOK_AGAIN) {
          pass(first, -ready);
        }
        continue;
      }
      int count = 1;
      long end = endOf(first, first, word);
      for (; count < limit; count++) {
        word = stampAt(end); // acquire A
        if (!stamps.isCommitted(word, end)) {
          break;
        }
        end = endOf(first, end, word);
      }
      if (!shares || tryTake(first, end)) {
        openPoll(first, end);
        return count;
      }
    }
  }

  private long sharedHead() {
    return polls == null ? head.getOpaque() : polls.head(); // opaque: the exchange confirms it
  }

  private boolean tryTake(long first, long end) {
    return polls == null
        // release C: the tail that this poll has seen; linearizes
        ? head.weakCompareAndSetRelease(first, end)
        : polls.tryTake(first, end);
  }

  private void openPoll(long first, long end) {
    own.next(first);
    own.end(end);
    if (polls != null) {
      checkInHand(polls, first, end);
    }
  }

  /**
   * Checks messages of which another consumer could have been faster before. If the queue is
   * damaged, frees them.
   */
  private void checkInHand(SharedPolls shared, long first, long end) {
    boolean isWhole = false;
    try {
      for (long sequence = first; sequence < end; ) {
        long word = stamps.peek(ring.offset(sequence));
        sequence = shared.checkInHand(first, sequence, word, headerAt(sequence));
      }
      isWhole = true;
    } finally {
      if (!isWhole) {
        free(first, end);
      }
    }
  }

  /** Takes messages, and if there are none, those that a dead consumer had in hand. */
  private int takeOrInherit(SharedPolls shared, int limit) {
    int count = takeInherited(shared, limit); // if that came with this consumer's own seat
    if (count == 0) {
      count = take(limit);
    }
    return count == 0 && shared.tryInherit() ? takeInherited(shared, limit) : count;
  }

  private int takeInherited(SharedPolls shared, int limit) {
    long first = shared.firstInherited();
    if (first < 0) {
      return 0;
    }
    int count = 0;
    long end = first;
    do {
      end = shared.endOf(first, end, stampAt(end)); // acquire A
      count++;
    } while (count < limit
        && end < shared.inheritedEnd()
        && stamps.isCommitted(stampAt(end), end)); // acquire A; else it was released
    shared.countRepeated(count);
    atSequence = first; // what at returned last may be behind it
    openPoll(first, end);
    return count;
  }

  /** Takes a committed message into a run that begins at the first; returns where it ends. */
  private long endOf(long first, long sequence, long word) {
    if (words == null) {
      return sequence + Stamps.countOf(word);
    }
    return polls != null
        ? polls.endOf(first, sequence, word)
        : words.take(first, sequence, word, headerAt(sequence));
  }

  private long headerAt(long sequence) {
    return MessageQueue.header(view.memory(), queue.entry(sequence));
  }

  private long stampAt(long sequence) {
    // acquire A: header and bytes. From the view's memory, so that the JIT checks one segment
    return (long) Ring.STAMP.getAcquire(view.memory(), queue.entry(sequence));
  }

  /** Passes {@code count} cells that hold no message. */
  private void pass(long first, int count) {
    if (!shares) {
      queue.countPassed(count);
      freeUpTo(first + count);
    } else if (tryPass(first, first + count)) {
      queue.countPassed(count);
    }
    if (words != null) {
      boolean _ = words.buryDead(); // who would never let go of cells that are out of use
    }
    signal();
  }

  private boolean tryPass(long first, long end) {
    return polls == null
        ? head.weakCompareAndSetPlain(first, end) // atomic: only one passes
        : polls.tryPass(first, end);
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
    if (polled > 0) {
      return polled;
    }
    wanted = limit;
    return waiters.await(waitPlace, again, nanos) ? countInHand() : 0;
  }

  /**
   * Takes the next message. While the oldest claim is open, the method waits for that claim to end,
   * because committed messages may be behind the claim. A null result therefore means that the
   * queue really was empty, or that it was closed. With respect to this method, the queue is
   * linearizable.
   *
   * @return the message; null only if there was neither a message nor an open claim at some moment
   *     during the call, or if the queue was closed
   * @throws IllegalStateException if a poll is open
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public @Nullable Message strictPoll() throws InterruptedException {
    if (!tryPollStrictly()) {
      waiters.await(waitPlace, strictly, WaitStrategy.FOREVER);
    }
    return own.end() == own.next() ? null : view;
  }

  private boolean tryPollStrictly() {
    return tryPoll() != null || queue.isEmpty() || queue.isDrained() || isEmptyWithoutTheDead();
  }

  /** Whether nothing is left once the claim of a producer that died is taken back. */
  private boolean isEmptyWithoutTheDead() {
    return words != null && polls == null && words.buryDead() && queue.isEmpty();
  }

  // ---- what is in hand ----

  /** Returns how many cells the open poll has. */
  int cellsInHand() {
    return (int) (own.end() - own.next());
  }

  private int countInHand() {
    int count = 0;
    for (long sequence = own.next(); sequence < own.end(); count++) {
      sequence += cellsAt(sequence, own.end());
    }
    return count;
  }

  /**
   * Returns how many cells the message at {@code sequence} has, which is in hand, in a run with
   * this end.
   */
  private int cellsAt(long sequence, long end) {
    long word = stamps.peek(ring.offset(sequence));
    // another process may have written there, even what is read of freed memory
    if (words != null && (word != Stamps.FREED || ring.memory().scope().isAlive())) {
      return words.cellsInHand(sequence, end, word);
    }
    if (word == Stamps.FREED) {
      throw new IllegalStateException("its memory is freed: " + queue);
    }
    int cells = Stamps.countOf(word);
    if (cells == 0) { // or a loop over a run would never end
      throw new IllegalStateException("message has no cells, its stamp was overwritten: " + queue);
    }
    return cells;
  }

  private void moveTo(long sequence) {
    view.moveTo(queue.start(sequence), headerAt(sequence));
    if (words != null) {
      view.repeat(polls == null ? words.isRepeated(sequence) : polls.isRepeated());
    }
  }

  @Override
  public Message at(int index) {
    boolean goesOn = atSequence > own.next() && index >= atIndex; // in the open poll
    long sequence = goesOn ? atSequence : own.next();
    int i = goesOn ? atIndex : 0;
    for (; i < index && sequence < own.end(); i++) {
      sequence += cellsAt(sequence, own.end());
    }
    if (index < 0 || sequence >= own.end() || own.end() == own.next()) {
      throw new IndexOutOfBoundsException(
          "no such message in the open poll: index=" + index + ", " + queue);
    }
    atIndex = index;
    atSequence = sequence;
    moveTo(sequence);
    return view;
  }

  // ---- releasing ----

  @Override
  public void release() {
    long first = own.next();
    long end = own.end();
    if (end <= first) {
      throw new IllegalStateException("nothing to release: no open poll, " + queue);
    }
    endPoll(first, end);
  }

  /**
   * Frees messages before the sequence {@code end}, after checking that no call of another thread
   * overlaps.
   */
  private void endPoll(long first, long end) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    view.leave();
    free(first, end);
    assert role.end(call);
    signal();
  }

  private void free(long first, long end) {
    if (!shares) {
      if (rewrites && end - first > FEW_CELLS) {
        rewrite(first, end);
      }
      freeUpTo(end);
      if (end >= nextLook) {
        look(end);
      }
      return;
    }
    own.end(end);
    own.next(end);
    try {
      for (long sequence = first; sequence < end; ) {
        int count = cellsAt(sequence, end);
        stampFree(sequence, count);
        sequence += count;
      }
      if (polls != null) {
        polls.end();
      }
    } catch (IllegalStateException e) {
      // the memory is freed: the queue is closed
    }
  }

  private void freeUpTo(long end) {
    own.end(end);
    own.next(end);
    head.setRelease(end); // release B: the reads of the cells
  }

  /**
   * Decides whether to rewrite the cells freed from now on. They are not rewritten while the queue
   * is nearly full, because then the consumer is the slower side.
   */
  private void look(long sequence) {
    long cells = ring.mask() + 1;
    nextLook = sequence + cells / LOOKS_PER_LAP;
    rewrites = queue.end() - sequence < cells - cells / 8;
  }

  /**
   * Rewrites cells with their own contents, up to the end of the memory. It also rewrites their
   * entries if the first message is so short that each line of entries is in use. A cache line that
   * the consumer has only read is shared between two caches, and the producer takes longer to write
   * to it than to a line that the consumer has written. DECISIONS.md has the figures.
   */
  private void rewrite(long first, long end) {
    long cells = Math.min(end - first, ring.contiguous(first));
    try {
      rewriteBytes(queue.start(first), cells * MessageQueue.CELL_BYTES);
      int firstCount = Stamps.countOf(stamps.peek(ring.offset(first)));
      if (firstCount <= ENTRIES_PER_LINE) {
        // plain: no other thread writes there, and a snapshot reads the same words before and after
        rewriteBytes(queue.entry(first), cells * MessageQueue.ENTRY_BYTES);
      }
    } catch (IllegalStateException e) {
      // the memory is freed: the queue is closed
    }
  }

  private void rewriteBytes(long start, long bytes) {
    MemorySegment.copy(ring.memory(), start, ring.memory(), start, bytes);
  }

  private void stampFree(long sequence, int count) {
    long word = stamps.word(sequence + ring.mask() + 1, count, Stamps.FREE);
    // release D: the reads of the cells
    Ring.STAMP.setRelease(ring.memory(), ring.offset(sequence), word);
  }

  private void signal() {
    if (signals) {
      queue.producerWaiters.signal();
    }
  }

  // ---- handlers ----

  /** What a controller decides about a message, and about the messages after it. */
  public enum Then {
    /** The message is consumed, and the next one is handed over. */
    GO_ON,
    /** The message is consumed, and no more messages are handed over. */
    STOP,
    /** The message stays in the queue, and no more messages are handed over. */
    STOP_BEFORE
  }

  /** Receives messages, and decides after each one how to continue. */
  @FunctionalInterface
  public interface Controller {
    /**
     * Handles a message.
     *
     * @param message the message, which must not be kept after the call
     * @return how to continue
     */
    Then handle(Message message);
  }

  @Override
  public int drain(Handler<? super Message> handler, int limit) {
    return drain(handler, limit, Long.MAX_VALUE);
  }

  /**
   * Hands messages to a handler, one after the other, and frees them, until a limit is reached or
   * the queue is empty.
   *
   * @param handler receives the message
   * @param limit the most messages to take, at least 1
   * @param bytes after how many bytes to stop, at least 1. The last message may take the total
   *     above this number
   * @return how many messages were handed over, or 0 if the queue is empty
   * @throws IllegalArgumentException if a limit is less than 1
   * @throws IllegalStateException if a poll is open
   */
  public int drain(Handler<? super Message> handler, int limit, long bytes) {
    return drain(Checks.notNull("handler", handler), null, limit, bytes);
  }

  /**
   * Hands messages to a controller, one after the other, and frees those that the controller
   * consumes, until the controller stops, the limit is reached or the queue is empty.
   *
   * @param controller receives the message
   * @param limit the most messages to take, at least 1
   * @return how many messages were consumed
   * @throws IllegalArgumentException if the limit is less than 1
   * @throws IllegalStateException if a poll is open, or if the controller returns {@link
   *     Then#STOP_BEFORE} in a queue with many consumers. In a queue with many consumers, a message
   *     that was taken cannot be given back, so the message is consumed
   */
  public int drainWhile(Controller controller, int limit) {
    return drain(null, Checks.notNull("controller", controller), limit, Long.MAX_VALUE);
  }

  @Override
  public void forEach(Handler<? super Message> handler) throws InterruptedException {
    Checks.notNull("handler", handler);
    while (poll(1) > 0) {
      hand(handler, null, MOST_FOR_EACH, Long.MAX_VALUE);
    }
  }

  private int drain(
      @Nullable Handler<? super Message> handler,
      @Nullable Controller controller,
      int limit,
      long bytes) {
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    Checks.inRange("bytes", bytes, 1, Long.MAX_VALUE);
    return tryTake(1) > 0 ? hand(handler, controller, limit, bytes) : 0;
  }

  /**
   * Hands over the message in hand and as many after it as wanted, and frees them. A message whose
   * handler throws is consumed.
   */
  private int hand(
      @Nullable Handler<? super Message> handler,
      @Nullable Controller controller,
      int limit,
      long bytes) {
    long bytesLeft = bytes;
    boolean goesOn = true;
    int done = 0;
    do {
      long first = own.next();
      int cells = cellsInHand();
      long sequence = first;
      own.end(HANDLING);
      try {
        do {
          long here = sequence;
          moveTo(here);
          sequence = here + cells;
          Then then = handled(handler, controller);
          if (then == Then.STOP_BEFORE) {
            checkKeeps();
            sequence = here;
            return done;
          }
          done++;
          bytesLeft -= view.length;
          goesOn = then == Then.GO_ON && done < limit && bytesLeft > 0;
        } while (goesOn
            && !shares
            && sequence - first < MOST_HANDLED // while they all fit in the first-level cache
            && (cells = committedAt(sequence)) > 0);
      } finally {
        if (sequence == first) {
          view.leave();
          own.end(first);
        } else {
          endPoll(first, sequence);
        }
      }
    } while (goesOn && tryTake(1) > 0);
    return done;
  }

  @SuppressWarnings("NullAway") // without a controller there is a handler
  private Then handled(
      @Nullable Handler<? super Message> handler, @Nullable Controller controller) {
    if (controller != null) {
      return Checks.notNull("then", controller.handle(view));
    }
    handler.handle(view);
    return Then.GO_ON;
  }

  private void checkKeeps() {
    if (shares) {
      throw new IllegalStateException(
          "STOP_BEFORE is not supported in a queue with many consumers: " + queue);
    }
  }

  /** Returns how many cells the message at {@code sequence} has, or 0 if there is none. */
  private int committedAt(long sequence) {
    try {
      long word = stampAt(sequence); // acquire A
      return stamps.isCommitted(word, sequence)
          ? (int) (endOf(own.next(), sequence, word) - sequence)
          : 0;
    } catch (IllegalStateException e) {
      return 0; // the memory is freed: the queue is closed
    }
  }

  /**
   * Returns whether no more messages will come, because the queue is completed and every message
   * has been taken. Another consumer may still have messages in hand; {@link
   * MessageQueue#isDrained} returns true only once all messages are released. In a queue in a file
   * this method, too, returns true only then, because the messages of a consumer that dies may be
   * handed out again.
   */
  @Override
  public boolean isDrained() {
    return (shares && polls == null) ? queue.isExhausted() : queue.isDrained();
  }

  /** Returns a string that names the queue. */
  @Override
  public String toString() {
    return "MessageConsumer of " + queue;
  }
}
