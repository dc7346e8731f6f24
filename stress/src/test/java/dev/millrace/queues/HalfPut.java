package dev.millrace.queues;

/** A put of a {@link RecordQueue} that has claimed its slot and not committed it yet. */
public final class HalfPut {
  private final RecordSlots slots;
  private final long sequence;

  /**
   * Claims a slot, which holds a record of zeros.
   *
   * @param queue an empty one
   */
  public HalfPut(RecordQueue<?> queue) {
    this.slots = queue.slots;
    this.sequence = slots.tryClaim();
  }

  /**
   * Has a consumer look once in vain, as a poll that waits does again and again.
   *
   * @return whether there is a record
   */
  public boolean look() {
    return slots.tryPoll() >= 0;
  }

  /**
   * Commits the record.
   *
   * @return false if the claim had been given up
   */
  public boolean commit() {
    return slots.commit(sequence);
  }
}
