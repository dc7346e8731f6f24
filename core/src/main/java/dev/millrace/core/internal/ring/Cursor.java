package dev.millrace.core.internal.ring;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/** Keeps the fields of whatever object lies before a {@link Cursor} off its cache-line pair. */
class CursorLeftPad {
  @SuppressWarnings("unused") // padding
  private long l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12, l13, l14, l15;
}

/** The words between the pads; a superclass's fields are laid out before a subclass's. */
class CursorWords extends CursorLeftPad {
  long next;
  long end;
  long limit;
}

/**
 * The position of one end of a ring: the private words of a role, in cache lines of their own. What
 * a ring keeps for a side that only one thread uses is a subclass.
 *
 * <p><b>Roles.</b> Belongs to the thread that has the end. Others may only read {@link #endSeen}
 * and {@link #limitSeen}.
 */
public sealed class Cursor extends CursorWords
    permits SoleClaims, SpscRing.ConsumerSide, MpscRing.ConsumerSide {
  /*
   * As in Sequence: a ladder of superclasses, since HotSpot orders the fields within a class.
   *
   * A  limit.setRelease in publishLimit  ->  limit.getAcquire in limitAcquired  R of SoleClaims
   */
  @SuppressWarnings("unused") // padding
  private long r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15;

  /** The limit of a consumer whose memory is freed: below every sequence. */
  private static final long NOTHING = -1;

  private static final VarHandle END =
      ConstantBootstraps.fieldVarHandle(
              MethodHandles.lookup(), "end", VarHandle.class, CursorWords.class, long.class)
          .withInvokeExactBehavior();

  private static final VarHandle LIMIT =
      ConstantBootstraps.fieldVarHandle(
              MethodHandles.lookup(), "limit", VarHandle.class, CursorWords.class, long.class)
          .withInvokeExactBehavior();

  /** Makes a cursor before the first record. */
  public Cursor() {}

  /** The sequence that comes next: the first of those in hand, if there are any. */
  public final long next() {
    return next;
  }

  /** Moves on to the sequence that comes next. */
  public final void next(long sequence) {
    next = sequence;
  }

  /** The sequence after those in hand; if there are none, the one that comes next. */
  public final long end() {
    return end;
  }

  /** Takes the sequences before this one in hand, or puts those from it on down. */
  public final void end(long sequence) {
    END.setOpaque((CursorWords) this, sequence); // opaque: others read it, see endSeen
  }

  /** The end, for other threads, as it was recently; how recently is for the caller to order. */
  public final long endSeen() {
    return (long) END.getOpaque((CursorWords) this); // opaque: the caller orders it
  }

  /** Takes a run of sequences in hand, unless the first is negative; returns the first. */
  public final long take(long first, int count) {
    if (first >= 0) {
      next(first);
      end(first + count);
    }
    return first;
  }

  /** Checks that more than index sequences are in hand; returns the first, which it is given. */
  public final long checked(int index, long first) {
    Objects.checkIndex(index, end - first);
    return first;
  }

  /** The sequence that the role must not reach, as it has last seen. */
  public final long limit() {
    return limit;
  }

  /** Notes the sequence that the role must not reach. */
  public final void limit(long sequence) {
    LIMIT.setOpaque((CursorWords) this, sequence); // opaque: others read it, see limitSeen
  }

  /** The limit, for other threads, as it was recently; how recently is for the caller to order. */
  public final long limitSeen() {
    return (long) LIMIT.getOpaque((CursorWords) this); // opaque: the caller orders it
  }

  // ---- for the subclasses ----

  /**
   * Notes up to which sequence records were seen, and whether they can be taken: not if their
   * memory is freed. The thread that frees it makes all threads pass a fence before it calls {@link
   * #forget}: either the limit was noted before that, or this finds the memory freed.
   */
  final boolean noteRecords(long sequence, MemorySegment memory) {
    limit(sequence);
    if (memory.scope().isAlive()) {
      return true;
    }
    forget();
    return false;
  }

  /** Forgets the records that were seen and not taken, because their memory is freed. */
  final void forget() {
    limit(NOTHING); // opaque: an overlapping poll may undo it, but then checks the memory
  }

  final long limitAcquired() {
    return (long) LIMIT.getAcquire((CursorWords) this); // acquire A: what the closer did
  }

  final void publishLimit(long sequence) {
    LIMIT.setRelease((CursorWords) this, sequence); // release A: what the closer did
  }

  final boolean tryLimit(long from, long to) {
    // atomic: what another thread has written stays; may fail spuriously
    return LIMIT.weakCompareAndSetPlain((CursorWords) this, from, to);
  }
}
