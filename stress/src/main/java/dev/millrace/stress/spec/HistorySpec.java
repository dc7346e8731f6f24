package dev.millrace.stress.spec;

import java.util.List;

/**
 * What a structure that keeps the newest records promises: each record that was written is
 * committed or refused, and each reader has read it, lost it because it was overwritten, or passed
 * it as refused.
 */
public final class HistorySpec {
  private HistorySpec() {}

  /**
   * Compares what writers, readers and the structure count, after all threads have ended.
   *
   * @param claimed how many records the structure says were written
   * @param refused how many of them it says it refused
   * @param writers of each: tried, left out by a limit, and committed
   * @param readers of each: read, lost, refused
   * @return records written and committed, and all of the readers
   * @throws AssertionError if they differ
   */
  public static Counts balance(
      long claimed, long refused, List<Counts> writers, List<Counts> readers) {
    Counts counts = new Counts();
    writers.forEach(counts::add);
    long written = counts.get("tried") - counts.get("left out");
    Counts.check("claimed", claimed, written);
    Counts.check("committed + refused", counts.get("committed") + refused, written);
    counts.add("refused", refused).add("records", written);
    for (int i = 0; i < readers.size(); i++) {
      Counts reader = readers.get(i);
      long sum = reader.get("read") + reader.get("lost") + reader.get("refused");
      Counts.check("read + lost + refused", sum, written);
      for (String name : reader.names()) {
        counts.add(name + " by " + (i + 1), reader.get(name));
      }
    }
    return counts;
  }
}
