package dev.millrace.core.internal;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The places where the threads of a side rest, in order of arrival. The lock of their {@link
 * Waiters} guards the list, but any thread may read its first place.
 */
final class WaitList {
  @SuppressWarnings("unused") // through FIRST
  private WaitPlace first;

  private WaitPlace last;

  /**
   * Returns the first place, or null if there is none. A thread that does not hold the lock may get
   * a stale answer.
   */
  WaitPlace first() {
    return (WaitPlace) FIRST.getOpaque(this); // opaque: the lock orders it, or the caller's fence
  }

  /** Appends {@code place}, which must not be listed. */
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

  /** Removes {@code place}, which must be listed. */
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
    place.behind = null; // the next add sets the other link
    place.unlist();
  }

  private static final VarHandle FIRST =
      ConstantBootstraps.fieldVarHandle(
              MethodHandles.lookup(), "first", VarHandle.class, WaitList.class, WaitPlace.class)
          .withInvokeExactBehavior();
}
