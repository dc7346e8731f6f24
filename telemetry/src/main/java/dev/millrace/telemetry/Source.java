package dev.millrace.telemetry;

import dev.millrace.core.internal.Checks;
import dev.millrace.queues.HistoryRing;
import dev.millrace.queues.OffHeapQueue;
import dev.millrace.queues.RecordQueue;
import dev.millrace.queues.ends.KFifoQueue;
import dev.millrace.queues.ends.ShardedQueue;
import dev.millrace.telemetry.Counter.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * What can be sampled.
 *
 * @param label begins the labels of its counters
 * @param metrics what its values are
 * @param values tells them
 */
record Source(String label, List<Metric> metrics, Values values) {
  /**
   * One of a source's values.
   *
   * @param suffix ends its label
   * @param kind what it means
   */
  record Metric(String suffix, Kind kind) {}

  /** Tells all values of a source, in the order of its metrics. */
  interface Values {
    void into(long[] values);
  }

  Source {
    Checks.notNull("label", label);
    metrics = List.copyOf(metrics);
  }

  static Metric counter(String name) {
    return new Metric("." + name, Kind.COUNTER);
  }

  static Metric gauge(String name) {
    return new Metric("." + name, Kind.GAUGE);
  }

  static Source of(String label, OffHeapQueue<?> queue) {
    Checks.notNull("queue", queue);
    return new Source(
        label,
        List.of(
            gauge("size"),
            gauge("capacity"),
            counter("claimed"),
            counter("committed"),
            counter("consumed"),
            counter("aborted"),
            counter("dropped"),
            counter("refused"),
            counter("stalled"),
            gauge("outOfUse"),
            gauge("highWater")),
        values -> {
          values[0] = queue.sizeEstimate();
          values[1] = queue.capacity();
          OffHeapQueue.Counters counters = queue.counters();
          values[2] = counters.claimed();
          values[3] = counters.committed();
          values[4] = counters.consumed();
          values[5] = counters.aborted();
          values[6] = counters.dropped();
          values[7] = counters.refused();
          values[8] = counters.stalled();
          values[9] = counters.outOfUse();
          values[10] = counters.highWater();
        });
  }

  static Source of(String label, KFifoQueue<?> queue) {
    Checks.notNull("queue", queue);
    return new Source(
        label,
        List.of(gauge("size"), gauge("capacity")),
        values -> {
          values[0] = queue.sizeEstimate();
          values[1] = queue.capacity();
        });
  }

  static Source of(String label, RecordQueue<?> queue) {
    Checks.notNull("queue", queue);
    return new Source(
        label,
        List.of(gauge("size"), gauge("free")),
        values -> {
          values[0] = queue.size();
          values[1] = queue.remainingCapacity();
        });
  }

  static Source of(String label, ShardedQueue<?> queue) {
    Checks.notNull("queue", queue);
    List<Metric> sizes = new ArrayList<>();
    for (int i = 0; i < queue.shards(); i++) {
      sizes.add(gauge("shard" + i + ".size"));
    }
    return new Source(
        label,
        sizes,
        values -> {
          for (int i = 0; i < queue.shards(); i++) {
            values[i] = queue.shard(i).sizeEstimate();
          }
        });
  }

  static Source of(String label, HistoryRing<?> ring) {
    Checks.notNull("ring", ring);
    return new Source(
        label,
        List.of(gauge("capacity"), counter("claimed"), counter("refused")),
        values -> {
          values[0] = ring.capacity();
          values[1] = ring.claimedCount();
          values[2] = ring.refusedCount();
        });
  }

  static Source of(String label, LongSupplier value) {
    Checks.notNull("value", value);
    return new Source(
        label, List.of(new Metric("", Kind.GAUGE)), values -> values[0] = value.getAsLong());
  }
}
