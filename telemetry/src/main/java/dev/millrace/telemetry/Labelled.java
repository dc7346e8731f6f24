package dev.millrace.telemetry;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.telemetry.internal.CounterTable;

/**
 * Common superclass of counters and gauges: a label, a place in the table, and a lifetime.
 *
 * <p>Public methods are not final, so that javac adds bridges to the public subclasses.
 */
abstract sealed class Labelled implements AutoCloseable permits Counter, Gauge {
  // The ways to write, and the closed state: an addition reads one field instead of three.
  static final int SHARED = 0;
  static final int ALONE = 1;
  static final int STRIPED = 2;
  private static final int CLOSED = 3;

  final CounterValues values;
  final Place place;
  final long at; // where the first stripe's value lies

  private final Telemetry owner;

  /** The way to write; plain: every thread that can know of the close sees it. */
  int way;

  Labelled(Telemetry owner, CounterValues values, Place place, int way) {
    this.owner = owner;
    this.values = values;
    this.place = place;
    this.at = CounterTable.valueAt(place.slot());
    this.way = way;
  }

  /**
   * Where a counter lies.
   *
   * @param table the table
   * @param slot its first slot there
   * @param word of that slot, until it is freed
   * @param stripes how many slots it has
   * @param label its label
   */
  record Place(CounterTable table, int slot, long word, int stripes, String label) {}

  /** Sets the value, also that of a sampled counter. */
  final void store(long value) {
    checkOpen();
    values.set(at, value);
  }

  /**
   * Reads the value.
   *
   * @return the value, or the sum of the stripes' values
   * @throws IllegalStateException if the counter or gauge is closed
   */
  public long get() {
    checkOpen();
    return place.table().sum(place.slot(), place.stripes());
  }

  /**
   * Returns the label.
   *
   * @return the label; also available after close
   */
  public String label() {
    return place.label();
  }

  final void checkOpen() {
    if (way == CLOSED) {
      throw new IllegalStateException("counter is closed: label=" + Checks.shown(label()));
    }
  }

  /**
   * Frees the slot and the label for others. All writers must have finished. May be repeated, even
   * after the telemetry is closed.
   */
  @Override
  public void close() {
    owner.free(this);
  }

  /** Ends it. Returns false if it was closed already; the owner's lock is held. */
  final boolean leave() {
    boolean wasOpen = way != CLOSED;
    way = CLOSED;
    return wasOpen;
  }

  /** Returns type and label, for debugging. */
  @Override
  public String toString() {
    return getClass().getSimpleName() + "[label=" + label() + "]";
  }
}
