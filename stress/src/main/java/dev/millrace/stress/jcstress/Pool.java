package dev.millrace.stress.jcstress;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Structures that are made once and used by one trial after another: jcstress makes a state for
 * each of millions of trials, and memory outside the heap for each would be too much. A trial
 * leaves its structure empty but not at the position where it began, so later ones wrap around.
 *
 * <p>A state takes its structure in its constructor, and the arbiter gives it back. Neither
 * overlaps the actors of any trial, so that the pool's own synchronisation orders nothing between
 * them.
 *
 * @param <T> the structure, with what a trial needs beside it
 */
final class Pool<T extends Pool.Item> {
  /*
   * jcstress has strideSize * strideCount states alive at a time: 256 * 16 as the build runs it (the
   * 40 strides of its default would be 10,240). Between two epochs the actors' threads replace all
   * of them, each its half, without order among each other: so what is given back in an epoch must
   * not be taken again in the same one. The pool goes round, hence twice as many as are alive are
   * enough, and here are four times as many. Too few show as an item that is taken while in use.
   */
  private static final int SIZE = 1 << 14;

  private final List<T> items = new ArrayList<>(SIZE);
  private final AtomicInteger next = new AtomicInteger();

  /** Makes all items. */
  Pool(Supplier<T> maker) {
    for (int i = 0; i < SIZE; i++) {
      items.add(maker.get());
    }
  }

  /** Takes the item that was given back the longest ago. */
  T take() {
    T item = items.get(next.getAndIncrement() & (SIZE - 1));
    if (((Item) item).inUse) {
      throw new IllegalStateException(
          "pool must hold twice the states alive, see strideCount: size=" + SIZE);
    }
    ((Item) item).inUse = true;
    return item;
  }

  /** What a pool can hold. */
  abstract static class Item {
    private boolean inUse;

    /** Gives it back, as the last thing in a trial. */
    final void giveBack() {
      inUse = false;
    }
  }
}
