package dev.millrace.core.internal;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The places of a side at which threads rest, in the order in which they came. The lock of their
 * {@link Waiters} guards it; any thread may read which is the first.
 */
final class WaitList {
  @SuppressWarnings("unused") // through FIRST
  private WaitPlace first;

  private WaitPlace last;

  /** The first place, or null. A thread that does not hold the lock may get an old answer. */
  WaitPlace first() {
    return (WaitPlace) FIRST.getOpaque(this); // opaque: the lock orders it, or the caller's fence
  }

  /** Adds a place that is not listed. */
  void add(WaitPlace place) {
    place.list();
    place.before = last;
    if (last == null) {
      FIRST.setOpaque(this, place); // opaque: as in first
    } else {
      last.behind = place;
    }
    last = place;
  }

  /** Takes out a place that is listed. */
  void remove(WaitPlace place) {
    WaitPlace before = place.before;
    WaitPlace behind = place.behind;
    if (before == null) {
      FIRST.setOpaque(this, behind); // opaque: as in first
    } else {
      before.behind = behind;
    }
    if (behind == null) {
      last = before;
    } else {
      behind.before = before;
    }
    place.behind = null; // what is before it is set again when it is listed again
    place.unlist();
  }

  private static final VarHandle FIRST =
      ConstantBootstraps.fieldVarHandle(
              MethodHandles.lookup(), "first", VarHandle.class, WaitList.class, WaitPlace.class)
          .withInvokeExactBehavior();
}
