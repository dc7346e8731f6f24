package dev.millrace.disruptor;

import dev.millrace.disruptor.WorkCounts.Kind;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/** What can be read of a pipeline at work: its metrics, and the picture of its graph. */
final class PipelineMetrics<E> {
  private static final List<String> COUNTERS = List.of("processed", "failed", "retries", "skipped");
  private static final List<String> GAUGES =
      List.of("lag", "utilisationThousandths", "meanBatchThousandths");
  private static final int THOUSANDTHS = 1_000;
  private static final int LOOKS = 32;
  private static final long NANOS_BETWEEN_LOOKS = 20_000;

  private final Sequencer sequencer;
  private final List<Stage<E>> stages; // in the order in which they were begun
  private final List<Latency> latencies; // of each stage, then end to end; empty if not measured
  private final List<String> counters;
  private final List<String> gauges;
  private final long[] ofRing; // the sequencer's metrics
  private final long[] before; // the same at the end of the warm-up

  PipelineMetrics(Sequencer sequencer, List<Stage<E>> stages, List<Latency> latencies) {
    this.sequencer = sequencer;
    this.stages = stages;
    this.latencies = latencies;
    this.counters = names(sequencer.counters(), COUNTERS, Latency.COUNTERS);
    this.gauges = names(sequencer.gauges(), GAUGES, Latency.GAUGES);
    this.ofRing = new long[sequencer.counters().size() + sequencer.gauges().size()];
    this.before = ofRing.clone();
  }

  private List<String> names(List<String> ofRing, List<String> ofStage, List<String> ofLatency) {
    List<String> names = new ArrayList<>(ofRing);
    for (Stage<E> stage : stages) {
      ofStage.forEach(name -> names.add(stage.name + "." + name));
    }
    for (int i = 0; i < latencies.size(); i++) {
      String prefix = i < stages.size() ? stages.get(i).name + "." : "";
      ofLatency.forEach(name -> names.add(prefix + name));
    }
    return List.copyOf(names);
  }

  List<String> counters() {
    return counters;
  }

  List<String> gauges() {
    return gauges;
  }

  void read(long[] values) {
    read(values, busyLooks());
  }

  private synchronized void read(long[] values, long[] busy) {
    LongBuffer counts = LongBuffer.wrap(values, 0, counters.size());
    LongBuffer levels = LongBuffer.wrap(values, counters.size(), gauges.size());
    sequencer.readMetrics(ofRing);
    int countsOfRing = sequencer.counters().size();
    for (int i = 0; i < countsOfRing; i++) {
      counts.put(ofRing[i] - before[i]);
    }
    levels.put(ofRing, countsOfRing, ofRing.length - countsOfRing);
    for (int i = 0; i < busy.length; i++) {
      read(stages.get(i), busy[i], counts, levels);
    }
    latencies.forEach(latency -> latency.read(counts, levels));
  }

  /** In how many looks the workers of each stage had events in hand. */
  private long[] busyLooks() {
    long[] busy = new long[stages.size()];
    for (int look = 0; look < LOOKS; look++) {
      for (int stage = 0; stage < busy.length; stage++) {
        List<Worker<E>> workers = stages.get(stage).workers;
        busy[stage] += workers.stream().filter(worker -> worker.consumer.isAtWork()).count();
      }
      LockSupport.parkNanos(NANOS_BETWEEN_LOOKS);
    }
    return busy;
  }

  private void read(Stage<E> stage, long busyLooks, LongBuffer counts, LongBuffer levels) {
    long batches = counts(stage, Kind.BATCHES).sum();
    double meanBatch = batches == 0 ? 0 : counts(stage, Kind.EVENTS).sum() / (double) batches;
    double utilisation = busyLooks / (double) (LOOKS * stage.workers.size());
    counts.put(processed(stage));
    counts.put(counts(stage, Kind.FAILED).sum());
    counts.put(counts(stage, Kind.RETRIES).sum());
    counts.put(counts(stage, Kind.SKIPPED).sum());
    levels.put(lag(stage));
    levels.put(Math.round(utilisation * THOUSANDTHS));
    levels.put(Math.round(meanBatch * THOUSANDTHS));
  }

  private LongStream counts(Stage<E> stage, Kind kind) {
    return stage.workers.stream().mapToLong(worker -> worker.counts.get(kind));
  }

  private long processed(Stage<E> stage) {
    LongStream events = counts(stage, Kind.EVENTS);
    return stage.kind == Stage.Kind.EACH_SEES_ALL ? events.min().orElseThrow() : events.sum();
  }

  private long lag(Stage<E> stage) {
    long most = 0;
    for (Worker<E> worker : stage.workers) {
      long progress = worker.consumer.progress(); // first, or it may be ahead
      most = Math.max(most, worker.consumer.source() - progress);
    }
    return most;
  }

  /** Lets counts begin anew; called while no event is under way. */
  synchronized void beginAnew() {
    stages.forEach(stage -> stage.workers.forEach(worker -> worker.counts.beginAnew()));
    latencies.forEach(Latency::beginAnew);
    sequencer.readMetrics(before);
  }

  /** Keeps the latencies and frees their memory, when all workers have ended. */
  synchronized void close() {
    latencies.forEach(Latency::close);
  }

  // ---- the picture ----

  /** Draws the graph as a tree: a stage that comes after several hangs under the last one named. */
  synchronized String picture(String heading) {
    StringBuilder picture = new StringBuilder(heading);
    draw(null, "", picture);
    return picture.toString();
  }

  private void draw(Stage<E> parent, String indent, StringBuilder picture) {
    List<Stage<E>> below =
        stages.stream()
            .filter(stage -> Objects.equals(parent, stage.after.isEmpty() ? null : stage.after.getLast()))
            .toList();
    for (Stage<E> stage : below) {
      boolean isLast = stage.equals(below.getLast());
      picture.append('\n').append(indent).append(isLast ? "└─ " : "├─ ").append(stage.name);
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
    picture.append(", lag ").append(lag(stage)).append(", processed ").append(processed(stage));
    long failed = counts(stage, Kind.FAILED).sum();
    long skipped = counts(stage, Kind.SKIPPED).sum();
    picture.append(failed == 0 ? "" : ", failed " + failed);
    picture.append(skipped == 0 ? "" : ", skipped " + skipped);
  }
}
