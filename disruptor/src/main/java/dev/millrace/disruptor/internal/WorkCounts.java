package dev.millrace.disruptor.internal;

import dev.millrace.core.Sequence;
import java.util.EnumMap;
import java.util.Map;

/**
 * Counts what a worker of a pipeline has done. Only the worker writes the counts, once per batch,
 * and samplers read them.
 */
public final class WorkCounts {
  /** What is counted. */
  public enum Kind {
    /** Events that the handler was given. */
    EVENTS,
    /** Calls of the handler with new events. */
    BATCHES,
    /** Events that were passed over because the handler failed. */
    FAILED,
    /** Events that the handler was given again. */
    RETRIES,
    /** Events that were passed over before the handler saw them. */
    SKIPPED
  }

  private final Map<Kind, Sequence> counts = new EnumMap<>(Kind.class);
  private final Map<Kind, Long> before = new EnumMap<>(Kind.class); // used by one sampler at a time

  /** Makes counts that begin at 0. */
  public WorkCounts() {
    for (Kind kind : Kind.values()) {
      counts.put(kind, new Sequence());
      before.put(kind, 0L);
    }
  }

  /** Adds {@code number} to a count. Only the worker calls this. */
  public void add(Kind kind, long number) {
    Sequence count = counts.get(kind);
    count.setOpaque(count.getPlain() + number); // opaque: for samplers; plain: the worker's own
  }

  /** Returns a count since the last {@link #beginAnew}. It may be slightly stale. */
  public long get(Kind kind) {
    return counts.get(kind).getOpaque() - before.get(kind); // opaque: a count
  }

  /** Makes all counts begin at 0 again. */
  public void beginAnew() {
    before.replaceAll((kind, count) -> count + get(kind));
  }
}
