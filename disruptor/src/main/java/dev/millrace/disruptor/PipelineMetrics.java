package dev.millrace.disruptor;

import dev.millrace.disruptor.internal.Latency;
import dev.millrace.disruptor.internal.WorkCounts.Kind;
import dev.millrace.flyweight.internal.Checks;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The metrics of a running pipeline, and the drawing of its graph. */
final class PipelineMetrics<E> {
  private static final int LOOKS = 32;
  private static final long NANOS_BETWEEN_LOOKS = 20_000;

  private final Sequencer sequencer;
  private final List<Stage<E>> stages; // in the order in which they were begun
  private final List<Latency> latencies = new ArrayList<>();
  private final Map<String, LongSupplier> counters = new LinkedHashMap<>();
  private final Map<String, LongSupplier> gauges = new LinkedHashMap<>();

  // for one reader at a time
  private final long[] ofRing; // the sequencer's metrics
  private final long[] before; // the same metrics at the end of the warm-up

  /**
   * Makes the metrics.
   *
   * @param endToEnd the end-to-end latencies, or null if none are measured
   */
  PipelineMetrics(Sequencer sequencer, List<Stage<E>> stages, @Nullable Latency endToEnd) {
    this.sequencer = sequencer;
    this.stages = stages;
    this.ofRing = new long[sequencer.counters().size() + sequencer.gauges().size()];
    this.before = ofRing.clone();
    addRing();
    stages.forEach(this::addStage);
    if (endToEnd != null) {
      stages.forEach(stage -> addLatency(stage.name + ".", stage.latencies.getFirst()));
      addLatency("", endToEnd);
    }
  }

  private void addRing() {
    for (String name : sequencer.counters()) {
      int index = counters.size();
      counters.put(name, () -> ofRing[index] - before[index]);
    }
    for (String name : sequencer.gauges()) {
      int index = counters.size() + gauges.size();
      gauges.put(name, () -> ofRing[index]);
    }
  }

  private void addStage(Stage<E> stage) {
    String prefix = stage.name + ".";
    int looks = LOOKS * stage.handlers.size();
    counters.put(prefix + "processed", stage::processed);
    counters.put(prefix + "failed", () -> stage.sum(Kind.FAILED));
    counters.put(prefix + "retries", () -> stage.sum(Kind.RETRIES));
    counters.put(prefix + "skipped", () -> stage.sum(Kind.SKIPPED));
    gauges.put(prefix + "lag", stage::lag);
    gauges.put(prefix + "utilisationThousandths", () -> thousandths(stage.busyLooks, looks));
    gauges.put(
        prefix + "meanBatchThousandths",
        () -> thousandths(stage.sum(Kind.EVENTS), stage.sum(Kind.BATCHES)));
  }

  private static long thousandths(long part, long whole) {
    return whole == 0 ? 0 : Math.round(1_000.0 * part / whole);
  }

  private void addLatency(String prefix, Latency latency) {
    latencies.add(latency);
    counters.put(prefix + "latencyCount", latency::total);
    gauges.put(prefix + "latencyP50Nanos", () -> latency.percentile(0.5));
    gauges.put(prefix + "latencyP99Nanos", () -> latency.percentile(0.99));
    gauges.put(prefix + "latencyP999Nanos", () -> latency.percentile(0.999));
    gauges.put(prefix + "latencyMaxNanos", () -> latency.percentile(1));
  }

  List<String> counters() {
    return List.copyOf(counters.keySet());
  }

  List<String> gauges() {
    return List.copyOf(gauges.keySet());
  }

  synchronized void read(long[] values) {
    lookForBusyWorkers();
    sequencer.readMetrics(ofRing);
    latencies.forEach(Latency::refresh);
    int i = 0;
    for (LongSupplier counter : counters.values()) {
      values[i++] = counter.getAsLong();
    }
    for (LongSupplier gauge : gauges.values()) {
      values[i++] = gauge.getAsLong();
    }
  }

  private void lookForBusyWorkers() {
    stages.forEach(stage -> stage.busyLooks = 0);
    for (int look = 0; look < LOOKS; look++) {
      stages.forEach(Stage::lookForBusyWorkers);
      LockSupport.parkNanos(NANOS_BETWEEN_LOOKS);
    }
  }

  /** Restarts all counts. Called while no event is in progress. */
  synchronized void beginAnew() {
    stages.forEach(stage -> stage.workers.forEach(worker -> worker.counts.beginAnew()));
    latencies.forEach(Latency::beginAnew);
    sequencer.readMetrics(before);
  }

  /** Saves the latencies and frees their memory. Called when all workers have ended. */
  synchronized void close() {
    latencies.forEach(Latency::close);
  }

  // ---- the picture ----

  /**
   * Draws the graph as a tree. A stage that comes after several others hangs under the last one
   * named.
   */
  synchronized String picture(String heading) {
    StringBuilder picture = new StringBuilder(heading);
    draw(null, "", picture);
    return picture.toString();
  }

  private void draw(@Nullable Stage<E> parent, String indent, StringBuilder picture) {
    List<Stage<E>> below =
        stages.stream()
            .filter(
                stage ->
                    Objects.equals(parent, stage.after.isEmpty() ? null : stage.after.getLast()))
            .toList();
    for (Stage<E> stage : below) {
      boolean isLast = stage.equals(below.getLast());
      picture
          .append('\n')
          .append(indent)
          .append(isLast ? "└─ " : "├─ ")
          .append(Checks.shown(stage.name));
      describe(stage, picture);
      draw(stage, indent + (isLast ? "   " : "│  "), picture);
    }
  }

  private void describe(Stage<E> stage, StringBuilder picture) {
    if (stage.after.size() > 1) {
      List<String> names = stage.after.stream().map(before -> before.name).toList();
      picture.append(" (after ").append(String.join(", ", names)).append(')');
    }
    int count = stage.workers.size();
    picture.append(
        switch (stage.kind) {
          case EACH_SEES_ALL -> count == 1 ? "" : " x" + count;
          case SHARED -> " x" + count + " shared";
          case SHARED_BY_KEY -> " x" + count + " shared by key";
        });
    picture.append(", lag ").append(stage.lag()).append(", processed ").append(stage.processed());
    long failed = stage.sum(Kind.FAILED);
    long skipped = stage.sum(Kind.SKIPPED);
    picture.append(failed == 0 ? "" : ", failed " + failed);
    picture.append(skipped == 0 ? "" : ", skipped " + skipped);
  }
}
