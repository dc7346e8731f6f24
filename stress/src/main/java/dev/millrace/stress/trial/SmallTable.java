package dev.millrace.stress.trial;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.telemetry.internal.CounterTable;
import java.nio.charset.StandardCharsets;

/**
 * A small table of counters. Its owner's lock is the affair of the trial: one thread at a time
 * takes, publishes and frees slots.
 */
public final class SmallTable {
  private final CounterTable table;

  /**
   * Makes a table.
   *
   * @param slots how many
   */
  public SmallTable(int slots) {
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
