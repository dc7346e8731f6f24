package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The claims of many producers: how far a ring is claimed, and what consumers find there. The
 * subclass or the user decides which slots are free, and so has the loop that claims them. A
 * claimer publishes its slots through their stamps.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 *
 * <p><b>Progress.</b> Lock-free: a claim is retried only if another producer claimed first.
 *
 * <p><b>Stalled claims.</b> With a stall limit, or if several processes claim, claims are marked
 * and ended in {@link #revocable()}, and given up in {@link #revocation()}. Otherwise everything
 * that a reader needs is in this class.
 */
public abstract sealed class SharedClaims permits GatedClaims, MpmcRing {
  /*
   * The tail is the sequence to claim next. Closing sets its sign, after which no claimer's
   * exchange succeeds, so what was claimed before the close is known exactly.
   *
   * The limit is the sequence that claims must not reach: the slowest head that a producer has
   * seen, plus the bound. It saves the other producers from reading the heads.
   *
   *   field              writer             write mode           read by
   *   tail               producers, closer  exchange: release    any: acquire; to exchange it: opaque
   *   limit              producers          release              producers: acquire
   *   closing            closers            opaque               any: opaque
   *   aborted            producers          exchange             any: opaque
   *
   * Invariants: once negative the tail is final. Each limit ever written is at most the slowest
   * head + bound. Non-invariants: a slot below the tail may have a stamp of an earlier turn, until
   * its claimer publishes it. The limit may fall, when a slow producer writes a head that it read
   * earlier.
   *
   * S  tail.weakCompareAndSetRelease in close       ->  tail.getAcquire in        what was done
   *                                                       isClosed                  before close
   * T  tail.weakCompareAndSetRelease in tryAdvance  ->  tail.getAcquire in tail,  the heads seen
   *                                                       end                       before it
   * U  limit.setRelease in freshLimit               ->  limit.getAcquire in       slots are free again,
   *                                                       admitted                  from another producer
   * V  head.setRelease in MpscRing.release,         ->  head.getAcquire in        slots are free again
   *    MessageConsumer.freeUpTo and                       Gate.slowest
   *    SequenceConsumer's kinds,
   *    head.weakCompareAndSetRelease
   *    in MpmcRing.tryPoll
   */
  private static final long CLOSED = Long.MIN_VALUE;

  final Stamps stamps;
  final RevocableClaims revocable; // null unless claims are given up
  private final Revocation revocation; // likewise
  final boolean stampsEach; // of a run, or its first slot alone
  private final long capacity;
  final long bound;
  private final Sequence tail;
  private final Sequence limit = new Sequence();
  private final Sequence aborted;
  private Sequence[] heads;

  @SuppressWarnings("unused") // through CLOSING
  private boolean closing;

  /**
   * Makes the claims of an empty ring, whose tail is 0.
   *
   * <p>Producers may be ahead of the slowest consumer by {@code bound}, which is at most the
   * capacity. A claim may be open for {@code stallNanos}, which may be {@link
   * WaitStrategy#FOREVER}. If {@code stampsEach}, each slot of a run gets a stamp. Otherwise the
   * first slot's stamp stands for all. {@code heads} are the sequences up to which consumers have
   * freed slots.
   */
  SharedClaims(
      Stamps stamps,
      long bound,
      long stallNanos,
      boolean stampsEach,
      Sequence tail,
      Sequence... heads) {
    this(stamps, bound, stallNanos, stampsEach, ClaimWords.onHeap(), null, tail, heads);
  }

  /**
   * Takes over the claims of a ring as its memory has them. If several processes share it, {@code
   * claimers} is not null, and their claims are given up if they die. Each process has a limit of
   * its own.
   */
  @SuppressWarnings("NullAway") // what gives claims up stays null where none are given up
  SharedClaims(
      Stamps stamps,
      long bound,
      long stallNanos,
      boolean stampsEach,
      ClaimWords words,
      @Nullable Claimers claimers,
      Sequence tail,
      Sequence... heads) {
    this.stamps = stamps;
    this.capacity = stamps.capacity();
    this.bound = bound;
    this.tail = tail;
    this.heads = heads;
    this.stampsEach = stampsEach;
    this.aborted = words.aborted();
    this.closing = claimers != null; // another process may close the ring unnoticed
    boolean areGivenUp = stallNanos != WaitStrategy.FOREVER || claimers != null;
    this.revocation =
        areGivenUp ? new Revocation(this, new StallWatch(stallNanos), words, claimers) : null;
    this.revocable =
        areGivenUp ? new RevocableClaims(this, revocation, words, claimers != null) : null;
  }

  /**
   * Sets the sequences that hold back claims, in the order that {@link Gate#slowest} requires. Must
   * be called before the ring is in use.
   */
  public final void gateOn(Sequence... sequences) {
    heads = sequences;
  }

  /** Returns the part that marks and ends claims; null unless they are given up. */
  public final RevocableClaims revocable() {
    return revocable;
  }

  /** Returns the part that gives up claims; null if none does. */
  public final Revocation revocation() {
    return revocation;
  }

  // ---- claiming ----

  /** Returns the sequence to claim next, or a negative number if the ring is closed. */
  public final long tail() {
    return tail.getAcquire(); // acquire T: the earlier claims, and the heads they had seen
  }

  /**
   * Claims the sequences from {@code sequence}, the tail as read, to before {@code end}, the new
   * tail. Returns whether the claim succeeded. May fail spuriously.
   */
  public final boolean tryAdvance(long sequence, long end) {
    // release T: the slots are free, as acquired before; linearizes the claim
    return tail.weakCompareAndSetRelease(sequence, end);
  }

  // ---- ending a claim ----

  /**
   * Publishes a one-slot claim. Returns false if the claim had already been given up or the memory
   * is freed.
   */
  public final boolean commit(Ring slots, long sequence) {
    return endClaim(slots.stamps(), sequence, 1, Stamps.COMMITTED);
  }

  /**
   * Publishes the claim in hand. Returns false if the claim had already been given up or the memory
   * is freed.
   */
  public final boolean commit(Ring slots, Cursor own) {
    return endOwn(slots, own, Stamps.COMMITTED);
  }

  /** Gives the claim in hand back. */
  public final void abort(Ring slots, Cursor own) {
    boolean _ = endOwn(slots, own, Stamps.ABORTED); // false if it was given up
  }

  private boolean endOwn(Ring slots, Cursor own, long state) {
    long sequence = own.next();
    long end = own.end();
    own.next(end);
    return endClaim(slots.stamps(), sequence, (int) (end - sequence), state);
  }

  /**
   * Ends a claim as {@link Stamps#COMMITTED} or {@link Stamps#ABORTED}. Returns false if the claim
   * had already been given up or the memory is freed.
   */
  public final boolean endClaim(Stamps stamps, long sequence, int count, long state) {
    if (revocable != null) {
      return revocable.end(sequence, count, state);
    }
    if (state == Stamps.ABORTED) {
      countAborted(count);
    }
    int counted = count;
    if (count > 1 && stampsEach) {
      stamps.publishBehind(sequence, count, state);
      counted = 1;
    }
    return stamps.publish(stamps.offset(sequence), stamps.word(sequence, counted, state));
  }

  // ---- how far consumers are ----

  long contiguousEnd(long sequence, int limit) {
    long contiguous = capacity - (sequence & (capacity - 1));
    return sequence + Math.min(Math.min(limit, Stamps.MAX_COUNT), contiguous);
  }

  /** Returns the sequence up to which slots are free, at most {@code end}. */
  public final long admitted(long end) {
    long seen = limit.getAcquire(); // acquire U: the slots below it are free
    return end <= seen ? end : Math.min(end, freshLimit(seen));
  }

  /** Returns how far consumers have freed slots: the sequence before which all slots are free. */
  protected long slowest() {
    return Gate.slowest(heads);
  }

  private long freshLimit(long seen) {
    long fresh = slowest() + bound; // acquire V: slots are free
    if (fresh != seen) { // an unchanged write would take its cache line from other producers
      limit.setRelease(fresh); // release U: slots are free, for other producers
    }
    return fresh;
  }

  // ---- consuming ----

  /**
   * Returns what consumers find at the next sequence to consume, as {@link Stamps#ready} does, and
   * gives up the claim there if it has stalled or its claimer is dead.
   */
  public final int ready(long sequence, int limit) {
    return ready(sequence, limit, stamps.read(stamps.offset(sequence)));
  }

  /** Does the same. {@code word} is the stamp of the sequence's slot, as read. */
  public final int ready(long sequence, int limit, long word) {
    int ready = stamps.ready(sequence, limit, word);
    return ready != 0 ? ready : readyIfStalled(sequence, word);
  }

  /**
   * Gives up the claim at the next sequence to consume if the claim has stalled or its claimer is
   * dead. {@code word} is the stamp of its slot, for which {@link Stamps#ready} has returned 0.
   * Returns what that method would return.
   */
  final int readyIfStalled(long sequence, long word) {
    return revocation == null || word == Stamps.FREED ? 0 : revocation.ready(sequence, word);
  }

  // ---- the end ----

  /** Makes all claims fail from now on. */
  public final void close() {
    CLOSING.setOpaque(this, true); // opaque: a hint
    long seen = tail.getOpaque(); // opaque: the exchange confirms it
    // release S: what was done before close
    while (seen >= 0 && !tail.weakCompareAndSetRelease(seen, seen | CLOSED)) {
      seen = tail.getOpaque(); // opaque: the exchange confirms it
    }
  }

  /**
   * Returns whether {@link #close} was called, so that no claim succeeds any more. If so, what the
   * caller of close did before is visible. May be called often, because it does not read the tail
   * until a close has begun.
   */
  public final boolean isClosed() {
    // opaque: a hint. acquire S: what was done before close
    return (boolean) CLOSING.getOpaque(this) && tail.getAcquire() < 0;
  }

  /** Returns the sequence up to which slots are claimed, which is final after {@link #close}. */
  public final long end() {
    return tail.getAcquire() & ~CLOSED; // acquire T: the claims, and the heads they had seen
  }

  // ---- counts ----

  /** Counts slots whose claim was aborted. */
  public final void countAborted(int count) {
    add(aborted, count);
  }

  /** Returns how many slots producers have claimed. */
  public final long claimedCount() {
    return end() - skippedCount();
  }

  /** Returns how many slots claimers have passed over because they were out of use. */
  public final long skippedCount() {
    return revocable == null ? 0 : revocable.skipped.getOpaque(); // opaque: a count
  }

  /** Returns how many slots were claimed and given back. */
  public final long abortedCount() {
    return aborted.getOpaque(); // opaque: a count
  }

  /** Returns how many records were refused because their claim had been given up. */
  public final long refusedCount() {
    return revocable == null ? 0 : revocable.refused.getOpaque(); // opaque: a count
  }

  /** Returns how many slots were given up. */
  public final long stalledCount() {
    return revocation == null ? 0 : revocation.stalled.getOpaque(); // opaque: a count
  }

  /** Returns how many slots are out of use. */
  public final int outOfUseCount() {
    return revocation == null ? 0 : revocation.outOfUseCount();
  }

  static void add(Sequence count, long number) {
    count.getAndAddPlain(number); // atomic: a count
  }

  private static final VarHandle CLOSING =
      ConstantBootstraps.fieldVarHandle(
              MethodHandles.lookup(), "closing", VarHandle.class, SharedClaims.class, boolean.class)
          .withInvokeExactBehavior();
}
