package dev.millrace.telemetry;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.telemetry.internal.CounterTable;

/**
 * The common superclass of counters and gauges, which have a label, a place in the table, and a
 * lifetime.
 *
 * <p>The public methods are not final, so that javac adds bridges to the public subclasses.
 */
abstract sealed class Labelled implements AutoCloseable permits Counter, Gauge {
  // The ways to write, and the closed state, in one field, so that an addition reads one field
  // instead of three.
  static final int SHARED = 0;
  static final int ALONE = 1;
  static final int STRIPED = 2;
  private static final int CLOSED = 3;

  final CounterValues values;
  final Place place;
  final long at; // offset of the first stripe's value

  private final Telemetry owner;

  /**
   * The way to write. Plain access suffices, because every thread that can know of the close sees
   * it.
   */
  int way;

  Labelled(Telemetry owner, CounterValues values, Place place, int way) {
    this.owner = owner;
    this.values = values;
    this.place = place;
    this.at = CounterTable.valueAt(place.slot());
    this.way = way;
  }

  /**
   * The place of a counter in the table.
   *
   * @param table the table
   * @param slot the counter's first slot in the table
   * @param word the word of that slot until the slot is freed
   * @param stripes how many slots the counter has
   * @param label the counter's label
   */
  record Place(CounterTable table, int slot, long word, int stripes, String label) {}

  /** Sets the value, even that of a sampled counter. */
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
   * @return the label, which is available even after close
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
   * Frees the slot and the label for other counters and gauges. All writers must have finished.
   * Repeated calls are allowed, even after the telemetry is closed.
   */
  @Override
  public void close() {
    owner.free(this);
  }

  /**
   * Marks the counter or gauge as closed. Returns false if it was already closed. Called with the
   * owner's lock held.
   */
  final boolean leave() {
    boolean wasOpen = way != CLOSED;
    way = CLOSED;
    return wasOpen;
  }

  /** Returns the type and the label, for debugging. */
  @Override
  public String toString() {
    return getClass().getSimpleName() + "[label=" + label() + "]";
  }
}
