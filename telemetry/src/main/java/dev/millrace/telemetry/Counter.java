package dev.millrace.telemetry;

import dev.millrace.core.internal.Role;

/**
 * A counter or a gauge: a labelled number off the heap, on a pair of cache lines of its own, that
 * any thread and other processes can read.
 *
 * <pre>{@code
 * Counter orders = telemetry.counter("orders");        // any thread adds
 * Counter hits = telemetry.counter("hits", 8);         // many threads add at once
 * Counter polls = telemetry.soleWriterCounter("polls");  // one thread adds
 * Counter depth = telemetry.gauge("depth");            // any thread sets
 * }</pre>
 *
 * <p><b>Roles.</b> Any thread adds, sets and reads; to a counter for a sole writer one thread at a
 * time adds, which assertions check. Any one thread closes it, when those that write are through:
 * an addition that overlaps the close may be lost, or fall to a later counter in the same place.
 *
 * <p><b>Progress.</b> Wait-free where the processor adds in one instruction, lock-free elsewhere.
 * Closing takes the telemetry's lock.
 *
 * <p><b>Ordering.</b> No addition is lost. A read orders nothing else. The sum of several stripes
 * is none of one moment: where additions are positive it lies between what the sum was when the
 * read began and what it was when it ended.
 *
 * <p><b>Failure.</b> Use after {@link #close()}, or after the telemetry's, by a thread that can
 * know of it (as of what happened before) throws {@link IllegalStateException}. The value wraps at
 * 2<sup>63</sup>.
 *
 * <p><b>Cost.</b> Adding is one atomic addition, or for a sole writer a read and a write. 384 bytes
 * for each stripe. Nothing is allocated.
 *
 * <p><b>Source.</b> Stripes as in {@link java.util.concurrent.atomic.LongAdder}, but of a fixed
 * number; the place of labels and values as in Agrona's <a
 * href="https://github.com/aeron-io/agrona">CountersManager</a>, but observers validate what they
 * read.
 *
 * @since 0.1.0
 */
public final class Counter implements AutoCloseable {
  /** The most stripes of a counter. */
  public static final int MAX_STRIPES = 64;

  /**
   * What a number means.
   *
   * @since 0.1.0
   */
  public enum Kind {
    /** How often something has happened: it rises, its differences are of interest. */
    COUNTER(1),

    /** How much there is now: it rises and falls. */
    GAUGE(2);

    /** What stands for it in memory. */
    final int code;

    Kind(int code) {
      this.code = code;
    }

    /** The kind that a code stands for, or null. */
    static Kind of(int code) {
      return code == COUNTER.code ? COUNTER : code == GAUGE.code ? GAUGE : null;
    }
  }

  // The ways to add: one look tells what would else take three. The first is right for all.
  private static final int SHARED = 0;
  private static final int ALONE = 1;
  private static final int STRIPED = 2;
  private static final int CLOSED = 3;

  private final Telemetry owner;
  private final CounterTable table;
  private final int slot;
  private final long word;
  private final CounterValues values;
  private final long at; // where the first stripe's value lies
  private final int stripes;
  private final String label;
  private final Kind kind;
  private final Role writer; // of a sole writer, else null

  /** Which way to add; plain: all who can know of the close see it, as is asked of users. */
  private int way;

  Counter(
      Telemetry owner,
      CounterTable table,
      CounterValues values,
      int slot,
      long word,
      int stripes,
      String label,
      Kind kind,
      Role writer) {
    this.owner = owner;
    this.table = table;
    this.slot = slot;
    this.word = word;
    this.values = values;
    this.at = CounterTable.valueAt(slot);
    this.stripes = stripes;
    this.label = label;
    this.kind = kind;
    this.writer = writer;
    this.way = writer != null ? ALONE : stripes > 1 ? STRIPED : SHARED;
  }

  /**
   * Adds one.
   *
   * @throws IllegalStateException if it is closed
   */
  public void increment() {
    add(1);
  }

  /**
   * Adds.
   *
   * @param delta what to add; by the meaning of the kinds not negative for a counter
   * @throws IllegalStateException if it is closed
   */
  public void add(long delta) {
    int how = way;
    if (how == SHARED) {
      values.add(at, delta);
    } else if (how == ALONE) {
      addAlone(delta);
    } else {
      checkOpen();
      values.add(CounterTable.valueAt(slot + stripe()), delta);
    }
  }

  private void addAlone(long delta) {
    long call = 0;
    assert (call = writer.begin()) >= 0;
    values.addAlone(at, delta);
    assert writer.end(call);
  }

  /** Threads are numbered one after the other, so they spread over the stripes. */
  private int stripe() {
    return (int) Thread.currentThread().threadId() & (stripes - 1);
  }

  /**
   * Sets the value of a gauge.
   *
   * @param value the value
   * @throws UnsupportedOperationException if it is a counter
   * @throws IllegalStateException if it is closed
   */
  public void set(long value) {
    if (kind != Kind.GAUGE) {
      throw new UnsupportedOperationException("gauge must be one to be set: " + this);
    }
    store(value);
  }

  /** Sets the value, also of a counter that somebody else has counted. */
  void store(long value) {
    checkOpen();
    values.set(at, value);
  }

  /**
   * Reads.
   *
   * @return the value, or the sum of the stripes' values
   * @throws IllegalStateException if it is closed
   */
  public long get() {
    checkOpen();
    return table.sum(slot, stripes);
  }

  /**
   * What it is called.
   *
   * @return the label, also after close
   */
  public String label() {
    return label;
  }

  /**
   * What its number means.
   *
   * @return the kind, also after close
   */
  public Kind kind() {
    return kind;
  }

  private void checkOpen() {
    if (way == CLOSED) {
      throw new IllegalStateException("counter must be open: closed, label=" + label);
    }
  }

  /**
   * Frees its place for another. Its writers must be through.
   *
   * @throws IllegalStateException if it is closed already
   */
  @Override
  public void close() {
    owner.free(this);
  }

  /** Frees the slots; the owner's lock is held. Returns them. */
  int free() {
    checkOpen();
    way = CLOSED;
    table.free(slot, word);
    return slot;
  }

  int stripes() {
    return stripes;
  }

  /** Returns label, kind and number of stripes, for debugging. */
  @Override
  public String toString() {
    return "Counter[label=" + label + ", kind=" + kind + ", stripes=" + stripes + "]";
  }
}
