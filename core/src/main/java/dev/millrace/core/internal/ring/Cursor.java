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

/**
 * The words between the pads. The fields of a superclass are laid out before those of a subclass.
 */
class CursorWords extends CursorLeftPad {
  long next;
  long end;
  long limit;
}

/**
 * The position of one end of a ring. It consists of the private words of a role, in cache lines of
 * their own. Subclasses hold what a ring keeps for a side that only one thread uses.
 *
 * <p><b>Roles.</b> A cursor belongs to the thread that has the end. Other threads may only read
 * {@link #endSeen} and {@link #limitSeen}.
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

  /** The limit of a consumer whose memory is freed. It is below every sequence. */
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

  /** Returns the next sequence, which is the first of those in hand if there are any. */
  public final long next() {
    return next;
  }

  /** Makes {@code sequence} the next one. */
  public final void next(long sequence) {
    next = sequence;
  }

  /** Returns the sequence after those in hand, or the next sequence if none are in hand. */
  public final long end() {
    return end;
  }

  /** Sets the sequence after those in hand. */
  public final void end(long sequence) {
    END.setOpaque((CursorWords) this, sequence); // opaque: others read it, see endSeen
  }

  /** Returns a recent value of the end, for other threads. The caller must order the read. */
  public final long endSeen() {
    return (long) END.getOpaque((CursorWords) this); // opaque: the caller orders it
  }

  /**
   * Takes {@code count} sequences from {@code first} on in hand, unless that is negative. Returns
   * {@code first}.
   */
  public final long take(long first, int count) {
    if (first >= 0) {
      next(first);
      end(first + count);
    }
    return first;
  }

  /**
   * Checks that {@code index} is valid among the sequences in hand, which begin with {@code first}.
   * Returns {@code first}.
   */
  public final long checked(int index, long first) {
    Objects.checkIndex(index, end - first);
    return first;
  }

  /** Returns the sequence that the role must not reach, as the role last saw it. */
  public final long limit() {
    return limit;
  }

  /** Notes the sequence that the role must not reach. */
  public final void limit(long sequence) {
    LIMIT.setOpaque((CursorWords) this, sequence); // opaque: others read it, see limitSeen
  }

  /** Returns a recent value of the limit, for other threads. The caller must order the read. */
  public final long limitSeen() {
    return (long) LIMIT.getOpaque((CursorWords) this); // opaque: the caller orders it
  }

  // ---- for the subclasses ----

  /**
   * Notes that records were seen up to {@code sequence}. Returns whether they can be taken, which
   * is false if their memory is freed. The thread that frees the memory makes all threads pass a
   * fence before it calls {@link #forget}. So either the limit was noted before that fence, or this
   * method finds the memory freed.
   */
  final boolean noteRecords(long sequence, MemorySegment memory) {
    limit(sequence);
    if (memory.scope().isAlive()) {
      return true;
    }
    forget();
    return false;
  }

  /** Forgets the records that were seen but not taken, because their memory is freed. */
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
