package dev.millrace.telemetry;

import dev.millrace.core.NativeMemory;

/** What the module keeps to itself, for scenarios to use. */
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
      long info = CounterTable.info(Counter.Kind.GAUGE.code, stripes, 2 * Long.BYTES);
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
     * Whether a slot is still a counter's.
     *
     * @param slot the slot
     * @param word the counter's word
     * @return as seen
     */
    public boolean isOf(int slot, long word) {
      return table.isOf(slot, word);
    }

    /**
     * Adds, as the only one.
     *
     * @param slot the slot
     * @param delta how much
     */
    public void addAlone(int slot, long delta) {
      table.addAlone(slot, delta);
    }

    /**
     * Adds.
     *
     * @param slot the slot
     * @param delta how much
     */
    public void add(int slot, long delta) {
      table.add(slot, delta);
    }

    /**
     * Sets.
     *
     * @param slot the slot
     * @param value what
     */
    public void set(int slot, long value) {
      table.set(slot, value);
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
}
