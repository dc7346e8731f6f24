package dev.millrace.telemetry;

import dev.millrace.core.NativeMemory;
import dev.millrace.core.internal.HistorySlots;
import dev.millrace.core.internal.HistoryWriter;

/** What the module keeps to itself, for scenarios, stress tests and Lincheck to use. */
public final class Inside {
  private Inside() {}

  /** The table of counters, whose owner's lock is the scenario's affair. */
  public static final class Table {
    private final CounterTable table;

    /**
     * Makes a table.
     *
     * @param slots how many
     */
    public Table(int slots) {
      table = new CounterTable(NativeMemory.allocate(slots * CounterTable.SLOT_BYTES).segment());
    }

    /**
     * Takes a slot.
     *
     * @param slot the slot
     * @param stripes how many slots in a row
     * @param number names it, in a label of two words that must agree
     */
    public void label(int slot, int stripes, long number) {
      long info = CounterTable.info(CounterTable.GAUGE, stripes, 2 * Long.BYTES);
      table.label(slot, info, new long[] {number, -number});
    }

    /**
     * Makes it visible.
     *
     * @param slot the slot
     * @return its word
     */
    public long publish(int slot) {
      return table.publish(slot);
    }

    /**
     * Takes a slot and makes it visible.
     *
     * @param slot the slot
     * @param stripes how many slots in a row
     * @param number names it
     * @return its word
     */
    public long allocate(int slot, int stripes, long number) {
      label(slot, stripes, number);
      return publish(slot);
    }

    /**
     * Frees a slot.
     *
     * @param slot the slot
     * @param word its word
     */
    public void free(int slot, long word) {
      table.free(slot, word);
    }

    /**
     * Adds, as the only one.
     *
     * @param slot the slot
     * @param delta how much
     */
    public void addAlone(int slot, long delta) {
      CounterTable.addAlone(table.memory(), CounterTable.valueAt(slot), delta);
    }

    /**
     * Adds.
     *
     * @param slot the slot
     * @param delta how much
     */
    public void add(int slot, long delta) {
      CounterTable.add(table.memory(), CounterTable.valueAt(slot), delta);
    }

    /**
     * Sets.
     *
     * @param slot the slot
     * @param value what
     */
    public void set(int slot, long value) {
      CounterTable.set(table.memory(), CounterTable.valueAt(slot), value);
    }

    /**
     * Sums up.
     *
     * @param slot the first slot
     * @param stripes how many
     * @return the sum
     */
    public long sum(int slot, int stripes) {
      return table.sum(slot, stripes);
    }

    /**
     * The name of a slot's state.
     *
     * @param slot the slot
     * @return as seen
     */
    public String state(int slot) {
      long state = table.state(slot);
      return state == CounterTable.FREE
          ? "FREE"
          : state == CounterTable.LABELLING
              ? "LABELLING"
              : state == CounterTable.ALLOCATED ? "ALLOCATED" : "state " + state;
    }

    /**
     * Reads a slot as an observer does.
     *
     * @param slot the slot
     * @return generation, number and value, or null if it is not allocated
     */
    public long[] read(int slot) {
      CounterTable.Copy copy = table.read(slot);
      if (copy == null) {
        return null;
      }
      if (copy.label.length != 2 || copy.label[0] != -copy.label[1]) {
        throw new AssertionError("torn label of " + copy.label.length + " words");
      }
      return new long[] {CounterTable.generationOf(copy.word), copy.label[0], copy.value};
    }
  }

  /** A trace log, and what its readers see. */
  public static final class Log {
    private static final int STREAMS = 4;
    private static final int RECORD_BYTES = (int) TraceLog.HEAD_BYTES + 32;

    private final HistorySlots slots;
    private final TraceStreams streams;

    /** Where writers write. */
    public final TraceLog log;

    private Log(int records, boolean ofOneWriter) {
      NativeMemory memory = NativeMemory.allocate(HistorySlots.sizeBytes(records, RECORD_BYTES));
      slots = HistorySlots.over(memory.segment(), records, RECORD_BYTES);
      streams = new TraceStreams(NativeMemory.allocate(TraceStreams.sizeBytes(STREAMS)).segment());
      HistoryWriter writer = ofOneWriter ? HistoryWriter.ofOne(slots) : HistoryWriter.ofMany(slots);
      log = new TraceLog(slots, writer, streams::add, RECORD_BYTES);
    }

    /**
     * Makes a log that any threads write.
     *
     * @param records how many it keeps, of 32 bytes for fields and text
     * @return the log
     */
    public static Log ofMany(int records) {
      return new Log(records, false);
    }

    /**
     * Makes a log that one thread at a time writes.
     *
     * @param records how many it keeps, of 32 bytes for fields and text
     * @return the log
     */
    public static Log ofOne(int records) {
      return new Log(records, true);
    }

    /**
     * Makes a reader.
     *
     * @return a reader that begins with the oldest record
     */
    public TraceLog.Reader newReader() {
      TelemetryHeader header =
          new TelemetryHeader(1, new TraceSection((int) slots.capacity(), RECORD_BYTES), 0, 0, 1);
      return new TraceLog.Reader(header, slots, streams, RECORD_BYTES);
    }
  }
}
