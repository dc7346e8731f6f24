package dev.millrace.queues.messages;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.MemorySequence;
import dev.millrace.core.internal.ring.ClaimWords;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.queues.internal.RingPeers;
import dev.millrace.queues.internal.RingPeers.Seat;
import dev.millrace.queues.internal.SharedRing;
import dev.millrace.queues.internal.shared.Role;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What a queue needs besides its ring where several processes map its memory: the words that each
 * of them would keep on its heap otherwise, and the recovery of what an only producer or consumer
 * leaves behind when it dies. {@link AnnouncedClaims} recovers what many producers leave, and
 * {@link SharedConsumers} what many consumers leave. With many consumers, taken, lost and lossTotal
 * are not used.
 */
final class SharedWords {
  /*
   * The words follow the cells, each on a pair of cache lines of its own:
   *
   *   field     writer               write mode  read by
   *   tail      the producer,        opaque      any: opaque. The end of the last claim, or of one
   *             its burial                       that is refused in the end
   *   closed    the producer's side  release     any: acquire. Whether no claim succeeds any more
   *   taken     the consumer         opaque      any: opaque; its successor. Up to where messages
   *                                              were ever handed out
   *   lost      burial of consumers  release     any: acquire. Messages that were lost
   *   lossTotal burial of consumers  plain       the next one. What lost will be
   *   repeated  the consumer         opaque      any: opaque. Messages handed out once more
   *             one of many consumers exchange
   *   head      burial of consumers  release     producers: acquire
   *   passed, and those of claims                counts, as in MessageQueue and ClaimWords
   *
   * A single producer does not mark its claims. They are between the last stamp of this turn and
   * the tail, which is written before the claim, so the burial of the producer finds where the next
   * one continues. Stamps behind the first of a run are published before it; they are taken back,
   * or a message of the successor might end where one of them is.
   *
   * A queue is completed by the process of its producer, or by one that has taken the producer's
   * seat. So after closed the tail only falls, to where an attempt of a claim began that is
   * refused.
   *
   * taken is written before a consumer gets a message. Those from the head up to it may have been
   * handled, by a consumer that has died before it released them. Their number is noted before the
   * head passes them and is added to lost after it, because a burial may be killed too. Then the
   * next one finds that lossTotal differs from lost, and does not count again.
   *
   * A thread that has taken a seat, or that buries, sees everything that the seat's last owner and
   * all burials did: see RingPeers. So accesses are plain to words that only those use. The tail
   * that others read is not behind a head that they have acquired, because the consumer has
   * acquired stamps that were published after it.
   *
   * A  closed.setRelease in close          ->  closed.getAcquire in isClosed  the tail of the last
   *                                                                             claim
   * B  head.setRelease in recoverConsumer  ->  head.getAcquire in             what the consumer did
   *                                              Gate.slowest
   * C  lost.setRelease in                  ->  lost.getAcquire in lostCount   the head has passed
   *    recoverConsumer                                                          what is counted
   * D  head.setRelease in                  ->  VarHandle.acquireFence in      who has released what
   *    MessageConsumer.freeUpTo                  firstInUseNow                  was read before
   */
  private static final int KEPT = 11; // those that others read, and so also after the end
  private static final int WORDS = KEPT + 1;

  /** The bytes of the words. */
  static final long BYTES = WORDS * MemorySequence.SIZE_BYTES;

  final ClaimWords counts;
  final Sequence passed;
  final @Nullable AnnouncedClaims announced; // null with one producer
  final @Nullable SharedConsumers consumers; // null with one consumer

  private final Sequence tail;
  private final Sequence closed;
  private final Sequence taken;
  private final Sequence lost;
  private final Sequence lossTotal;
  private final Sequence repeated;
  private final Sequence head;
  private final MemorySequence[] all;

  private final SharedRing file;
  private final RingPeers peers;
  private final boolean repeats;
  private final DamageChecks checks;
  private final Ring ring;
  private final Stamps stamps;
  private final long capacity;

  private long repeatedEnd; // the consumer's: messages before it were handed out before

  /**
   * Takes the words over that lie at an offset behind a queue's ring.
   *
   * @param tailOfMany the tail of many producers; null with one
   * @param cells how far many consumers have taken and released cells; null with one
   */
  SharedWords(
      SharedRing file,
      Ring ring,
      Sequence tailOfMany,
      Sequence head,
      @Nullable FreedCells cells,
      long offset,
      long stallNanos,
      int maxLength) {
    MemorySegment memory = ring.memory();
    this.all = new MemorySequence[WORDS];
    for (int i = 0; i < WORDS; i++) {
      all[i] = new MemorySequence(memory, offset + i * MemorySequence.SIZE_BYTES);
    }
    this.tail = all[0];
    this.closed = all[1];
    this.taken = all[2];
    this.lost = all[3];
    this.repeated = all[4];
    this.passed = all[5];
    this.counts = new ClaimWords(all[6], all[7], all[8], all[9], all[10]);
    this.lossTotal = all[KEPT];
    this.head = head;
    this.file = file;
    this.repeats = file.repeats();
    this.checks = new DamageChecks(ring, maxLength, file.name());
    this.ring = ring;
    this.stamps = ring.stamps();
    this.capacity = ring.mask() + 1;
    this.consumers =
        cells == null
            ? null
            : new SharedConsumers(ring, head, cells, offset + BYTES, repeats, checks);
    this.peers = file.peers().apply(this::recover);
    this.announced =
        tailOfMany == null
            ? null
            : new AnnouncedClaims(
                stamps, stallNanos, counts, peers, checks, tailOfMany, head, cells);
    if (consumers != null) {
      consumers.meet(peers);
    }
  }

  /**
   * Keeps what may still be asked for, and unmaps the memory. If {@code removes}, also removes the
   * file, unless another process uses it. Returns whether it removed the file.
   */
  boolean unmap(boolean removes) {
    for (int i = 0; i < KEPT; i++) {
      all[i].keep();
    }
    if (consumers != null) {
      consumers.keep();
    }
    try {
      return file.unmapping().run(removes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // ---- seats ----

  Seat enter(Role role) {
    return peers.enter(role, role == Role.CONSUMER ? consumers == null : announced == null);
  }

  /** Has recovered what the dead have left; returns whether there was any. */
  boolean buryDead() {
    return peers.buryDead();
  }

  /** Whether it is time to search for a seat to inherit; if so, the caller calls tryInherit. */
  boolean isInheritingDue() {
    return peers.isInheritingDue();
  }

  /** Takes the seat of a dead consumer that had messages in hand; returns null if there is none. */
  @Nullable Seat tryInherit() {
    return peers.tryInherit(Role.CONSUMER);
  }

  /** Aborts the open claim of a producer of this process that has stopped, if it has one. */
  void abandon(Seat seat) {
    if (announced == null) {
      recoverProducer();
    } else {
      announced.abandon(seat);
    }
  }

  /** Recovers what a participant has left; see {@link RingPeers.Burial}. */
  private boolean recover(Role role, int number, long first, long end, boolean wasMade) {
    if (role == Role.PRODUCER) {
      if (announced != null) {
        return announced.recover(first, end, wasMade);
      }
      recoverProducer();
    } else if (consumers != null) {
      return consumers.recover(number, first, end);
    } else if (!repeats) {
      recoverConsumer();
    }
    return true;
  }

  // ---- the producer ----

  /** Returns where a producer that has just taken its seat makes its first claim. */
  long beginProducing() {
    long first = firstInUse(); // not before what the seat's last owner saw
    return checks.checked("tail", tail.getPlain(), first, first + capacity); // plain: as it left it
  }

  /** Notes how far a claim will reach, before it is made; or where it began that was refused. */
  void noteTail(long sequence) {
    tail.setOpaque(sequence); // opaque: the claim's stamp publishes it, or a burial finds it
  }

  /**
   * Checks the head that the limit of a claim comes from: the consumer cannot be ahead of the
   * claim, which begins at the first sequence.
   */
  void checkLimit(long limit, long first) {
    if (limit >= 0) { // else claims were closed meanwhile
      checks.checked("head", limit - capacity, 0, first);
    }
  }

  /** Makes claims fail for good, after the only producer can make none. */
  void close() {
    closed.setRelease(1); // release A: the tail of the last claim
  }

  boolean isClosed() {
    if (announced != null) {
      return announced.isClosed();
    }
    return closed.getAcquire() != 0; // acquire A: the tail is that of the last claim
  }

  /** The end of what is claimed, within what can be. */
  long end() {
    long first = firstInUse();
    if (announced != null) {
      return Math.clamp(announced.end(), first, first + capacity);
    }
    // opaque: not behind a head that was acquired
    return Math.clamp(tail.getOpaque(), first, first + capacity);
  }

  /**
   * Takes the dead producer's open claim back: its stamps, and then the tail. Cells that it had
   * passed at the end of the memory stay aborted.
   */
  private void recoverProducer() {
    long first = firstInUse(); // a stale one only makes the search longer
    // plain: as the dead left it
    long end = checks.checked("tail", tail.getPlain(), first, first + 2 * capacity);
    long next = publishedEnd(first, end);
    takeBack(next, end);
    tail.setOpaque(next); // opaque: the next owner of the seat goes on there
  }

  /** Where the last run of published cells ends. */
  private long publishedEnd(long first, long end) {
    long next = first;
    while (next < end) {
      long word = stamps.peek(ring.offset(next));
      if (!stamps.isCommitted(word, next) && !stamps.isAborted(word, next)) {
        break;
      }
      next = checks.checked("cells", next + Stamps.countOf(word), next + 1, end);
    }
    return next;
  }

  private void takeBack(long next, long end) {
    for (long sequence = next + 1; sequence < Math.min(end, next + capacity); sequence++) {
      long offset = ring.offset(sequence);
      if (stamps.compareTurn(stamps.peek(offset), sequence) >= 0) {
        long earlier = Math.max(0, sequence - capacity); // in the first turn there is none
        stamps.mark(offset, stamps.word(earlier, 1, Stamps.FREE));
      }
    }
  }

  // ---- the consumer ----

  /** Returns where a consumer that has just taken its seat begins to poll. */
  long beginConsuming() {
    long first =
        checks.checked("head", head.getPlain(), 0, DamageChecks.MOST); // plain: as it was left
    repeatedEnd = taken.getPlain(); // plain: likewise
    if (announced != null) {
      announced.revocation().recount();
    }
    return first;
  }

  /**
   * Takes a committed message into a run that begins at the first: checks it, and notes that a
   * consumer gets it, before it does. Returns where it ends.
   */
  long take(long first, long sequence, long word, long header) {
    long end = checks.checkMessage(first, sequence, word, header);
    if (end > repeatedEnd) {
      taken.setOpaque(end); // opaque: other processes watch it
    }
    if (isRepeated(sequence)) {
      repeated.setOpaque(repeated.getPlain() + 1); // opaque: a count; plain: its only writer
    }
    return end;
  }

  /** Whether a message was handed out before, to a consumer that has died. */
  boolean isRepeated(long sequence) {
    return sequence < repeatedEnd;
  }

  /** Passes over what the dead consumer had in hand, and counts it as lost. */
  private void recoverConsumer() {
    long first =
        checks.checked("head", head.getPlain(), 0, DamageChecks.MOST); // plain: as the dead left it
    // plain: likewise
    long end = Math.max(first, checks.checked("taken", taken.getPlain(), 0, first + capacity));
    long total = lossTotal.getPlain(); // plain: as the last burial left it
    if (total == lost.getPlain()) { // no burial was killed half-way; plain: likewise
      total += messages(first, end);
      lossTotal.setPlain(total); // plain: published by the head
    }
    head.setRelease(end); // release B: what the consumer did, and the total
    lost.setRelease(total); // release C: the head; so even if this thread is killed in between
  }

  private long messages(long first, long end) {
    long count = 0;
    for (long sequence = first; sequence < end; ) {
      long word = stamps.peek(ring.offset(sequence));
      count += stamps.isCommitted(word, sequence) ? 1 : 0;
      sequence = checks.checked("cells", sequence + Stamps.countOf(word), sequence + 1, end);
    }
    return count;
  }

  /** The first cell that the consumer has not released, or an earlier one. */
  long firstInUse() {
    if (consumers != null) {
      return consumers.firstInUse();
    }
    // opaque: readers of cells validate them, or have acquired a head before
    return checks.checked("head", head.getOpaque(), 0, DamageChecks.MOST);
  }

  /** The same, read after all that was read before this call. For those who only observe. */
  long firstInUseNow() {
    VarHandle.acquireFence(); // acquire D: the copy before the head
    return firstInUse();
  }

  /** The first cell that no consumer has taken, or, with one consumer, has released. */
  long untaken() {
    return consumers == null ? firstInUse() : consumers.takenEnd();
  }

  /** How many cells the message has that was released though one before it is not; or 0. */
  long releasedAt(long sequence) {
    return consumers == null ? 0 : consumers.releasedAt(sequence);
  }

  /** Where the messages end that consumers were ever handed, or an earlier cell. */
  long takenEnd() {
    long first = firstInUse();
    return consumers == null
        ? first + inHandCount()
        : Math.clamp(consumers.takenEnd(), first, first + capacity);
  }

  /**
   * How many cells the consumer has in hand, or had when it died. With many, released cells count
   * until all cells before them are released.
   */
  long inHandCount() {
    if (consumers != null) {
      return consumers.inHandCount();
    }
    long first = head.getOpaque(); // opaque: a count
    return Math.clamp(taken.getOpaque() - first, 0, capacity); // opaque: likewise
  }

  long lostCount() {
    if (consumers != null) {
      return consumers.lostCount();
    }
    return lost.getAcquire(); // acquire C: the head has passed them
  }

  /** Counts messages that one of many consumers is about to be handed once more. */
  void countRepeated(int count) {
    repeated.getAndAddPlain(count); // atomic: a count
  }

  long repeatedCount() {
    return repeated.getOpaque(); // opaque: a count
  }

  // ---- damage ----

  /** Checks what a consumer has found where the head was, if that is no message. */
  void checkStamp(long sequence, long word) {
    if (consumers == null || stamps.compareTurn(word, sequence) <= 0) {
      checks.checkStamp(sequence, word);
    } else {
      consumers.checkPassed(sequence);
    }
  }

  /** Checks a message in hand, in a run with this end; returns how many cells it has. */
  int cellsInHand(long sequence, long end, long word) {
    return checks.cellsInHand(sequence, end, word);
  }

  /** Checks a committed message of a run that begins at the first; returns where it ends. */
  long checkMessage(long first, long sequence, long word, long header) {
    return checks.checkMessage(first, sequence, word, header);
  }

  /** Checks the tail, before a consumer goes further that has read the head. */
  void checkTail(long first) {
    if (announced != null) {
      long tail = announced.end();
      long least = consumers == null ? first : consumers.takenEnd(); // read after the tail
      checks.checked("tail", tail, first, least + capacity);
    }
  }
}
