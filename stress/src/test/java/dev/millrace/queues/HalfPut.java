package dev.millrace.queues;

/** A put of a {@link RecordQueue} that has claimed its slot and not committed it yet. */
public final class HalfPut {
  private final RecordStore store;
  private final long sequence;

  /**
   * Claims a slot, which holds a record of zeros.
   *
   * @param queue an empty one
   */
  public HalfPut(RecordQueue<?> queue) {
    this.store = queue.store;
    this.sequence = store.tryClaim(store.protocol, store.ring);
  }

  /**
   * Has a consumer look once in vain, as a poll that waits does again and again.
   *
   * @return whether there is a record
   */
  public boolean look() {
    return store.tryPoll(store.protocol, store.ring) >= 0;
  }

  /**
   * Commits the record.
   *
   * @return false if the claim had been given up
   */
  public boolean commit() {
    return store.commit(store.protocol, store.ring, sequence);
  }
}
