package dev.millrace.disruptor.internal;

import dev.millrace.core.Sequence;
import java.util.EnumMap;
import java.util.Map;

/** What a worker of a pipeline has done: written by it alone, once a batch, for samplers. */
public final class WorkCounts {
  /** What is counted. */
  public enum Kind {
    /** Events that the handler was given. */
    EVENTS,
    /** Calls with new events. */
    BATCHES,
    /** Events that were passed over since the handler failed. */
    FAILED,
    /** Events that it was given again. */
    RETRIES,
    /** Events that were passed over unseen. */
    SKIPPED
  }

  private final Map<Kind, Sequence> counts = new EnumMap<>(Kind.class);
  private final Map<Kind, Long> before = new EnumMap<>(Kind.class); // for one sampler at a time

  /** Makes counts of nothing. */
  public WorkCounts() {
    for (Kind kind : Kind.values()) {
      counts.put(kind, new Sequence());
      before.put(kind, 0L);
    }
  }

  /** Adds to a count; called by the worker. */
  public void add(Kind kind, long number) {
    Sequence count = counts.get(kind);
    count.setOpaque(count.getPlain() + number); // opaque: for samplers; plain: the worker's own
  }

  /** A count since the last {@link #beginAnew}; may be slightly stale. */
  public long get(Kind kind) {
    return counts.get(kind).getOpaque() - before.get(kind); // opaque: a count
  }

  /** Lets all counts begin at 0 again. */
  public void beginAnew() {
    before.replaceAll((kind, count) -> count + get(kind));
  }
}
