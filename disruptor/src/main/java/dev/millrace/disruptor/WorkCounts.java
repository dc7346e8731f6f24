package dev.millrace.disruptor;

import dev.millrace.core.Sequence;

/** What a worker of a pipeline has done: written by it alone, once a batch, for samplers. */
final class WorkCounts {
  private final Sequence events = new Sequence();
  private final Sequence batches = new Sequence();
  private final Sequence failed = new Sequence();
  private final Sequence retries = new Sequence();
  private final Sequence skipped = new Sequence();

  /**
   * Counts of some moment.
   *
   * @param events events that the handler was given
   * @param batches calls with new events
   * @param failed events that were passed over since the handler failed
   * @param retries events that it was given again
   * @param skipped events that were passed over unseen
   */
  record Counts(long events, long batches, long failed, long retries, long skipped) {
    static final Counts NONE = new Counts(0, 0, 0, 0, 0);

    Counts minus(Counts before) {
      return new Counts(
          events - before.events,
          batches - before.batches,
          failed - before.failed,
          retries - before.retries,
          skipped - before.skipped);
    }

    Counts plus(Counts other) {
      return new Counts(
          events + other.events,
          batches + other.batches,
          failed + other.failed,
          retries + other.retries,
          skipped + other.skipped);
    }
  }

  void addBatch(int size) {
    add(events, size);
    add(batches, 1);
  }

  void addFailed() {
    add(failed, 1);
  }

  void addRetry() {
    add(retries, 1);
  }

  void addSkipped(int count) {
    add(skipped, count);
  }

  private static void add(Sequence count, long number) {
    count.setOpaque(count.getPlain() + number); // opaque: for samplers; plain: the worker's own
  }

  Counts now() {
    // opaque: counts, each of which may be seen late
    return new Counts(
        events.getOpaque(), // opaque: a count
        batches.getOpaque(), // opaque: a count
        failed.getOpaque(), // opaque: a count
        retries.getOpaque(), // opaque: a count
        skipped.getOpaque()); // opaque: a count
  }
}
