package dev.millrace.telemetry;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.history.HistorySlots;
import dev.millrace.flyweight.FlyweightType;
import java.nio.charset.StandardCharsets;

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
      table =
          CounterTable.ofCounters(NativeMemory.allocate(slots * CounterTable.SLOT_BYTES).segment());
    }

    /**
     * Takes a slot.
     *
     * @param slot the slot
     * @param stripes how many slots in a row
     * @param number names it, in a label of two words that must agree
     */
    public void label(int slot, int stripes, long number) {
      String word = "%08d".formatted(number);
      byte[] label = (word + word).getBytes(StandardCharsets.US_ASCII);
      table.label(slot, CounterTable.GAUGE, stripes, label);
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
      long state = CounterTable.stateOf(table.word(slot));
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
      String label = copy.label();
      String word = label.substring(0, Long.BYTES);
      if (!label.equals(word + word)) {
        throw new AssertionError("torn label: " + label);
      }
      return new long[] {copy.generation(), Long.parseLong(word), copy.value()};
    }
  }

  /** A trace log, and what its readers see. Its owner's lock is the scenario's affair, too. */
  public static final class Log {
    private static final int ENTRIES = 4;
    private static final int RECORD_BYTES = TraceLog.HEAD_BYTES + 32;

    private final TraceLog log;
    private final TraceWriters writers;

    private Log(int records, boolean ofOneWriter) {
      NativeMemory memory = NativeMemory.allocate(HistorySlots.sizeBytes(records, RECORD_BYTES));
      NativeMemory table = NativeMemory.allocate(ENTRIES * CounterTable.WRITER_SLOT_BYTES);
      log =
          new TraceLog(
              CounterTable.ofWriters(table.segment()),
              HistorySlots.over(memory.segment(), records, RECORD_BYTES),
              RECORD_BYTES);
      writers = new TraceWriters(log, ofOneWriter);
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
     * Makes a writer.
     *
     * @param <T> the view
     * @param name its name
     * @param type the name of what it writes
     * @param fields describes that
     * @return the writer
     */
    public <T> TraceWriter<T> newWriter(String name, String type, FlyweightType<T> fields) {
      return newWriter(name, type, fields, 1, Integer.MAX_VALUE);
    }

    /**
     * Makes a writer that leaves records out.
     *
     * @param <T> the view
     * @param name its name
     * @param type the name of what it writes
     * @param fields describes that
     * @param every one record in this many is written
     * @param perSecond the most records in a second
     * @return the writer
     */
    public <T> TraceWriter<T> newWriter(
        String name, String type, FlyweightType<T> fields, int every, int perSecond) {
      return writers.newWriter(name, type, fields, every, perSecond, writers::giveBack);
    }

    /**
     * Tells a writer's place in the table.
     *
     * @param writer the writer
     * @return the number of its entry
     */
    public static int entry(TraceWriter<?> writer) {
      return writer.entry();
    }

    /**
     * Counts the claims.
     *
     * @return how many there were
     */
    public long claimedCount() {
      return log.slots().claimedCount();
    }

    /**
     * Counts refusals.
     *
     * @return how many records were refused or aborted
     */
    public long refusedCount() {
      return log.slots().refusedCount();
    }

    /**
     * Makes a reader.
     *
     * @return a reader that begins with the oldest record
     */
    public TraceReader newReader() {
      int records = (int) log.slots().capacity();
      return new TraceReader(new TelemetryHeader(0, 0, 1, 1, records, RECORD_BYTES), log);
    }
  }
}
