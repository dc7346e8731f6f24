package dev.millrace.stress.scenario;

import dev.millrace.queues.RecordQueue;
import dev.millrace.queues.internal.RecordStore;

/** A put of a {@link RecordQueue} that has claimed its slot and not committed it yet. */
final class HalfPut {
  private final RecordStore store;
  private final long sequence;

  /**
   * Claims a slot, which holds a record of zeros.
   *
   * @param queue an empty one
   */
  HalfPut(RecordQueue<?> queue) {
    this.store = RecordStore.SECRET.get().apply(queue);
    this.sequence = store.tryClaim(store.protocol, store.ring);
  }

  /**
   * Has a consumer look once in vain, as a poll that waits does again and again.
   *
   * @return whether there is a record
   */
  boolean look() {
    return store.tryPoll(store.protocol, store.ring) >= 0;
  }

  /**
   * Commits the record.
   *
   * @return false if the claim had been given up
   */
  boolean commit() {
    return store.commit(store.protocol, store.ring, sequence);
  }
}
