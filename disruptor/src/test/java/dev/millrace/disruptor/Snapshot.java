package dev.millrace.disruptor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a pipeline reports, all read at once. */
record Snapshot(long published, long freeSlots, Counters producers, List<StageSnapshot> stages) {
  private static final double THOUSAND = 1_000;

  /** What it reports of a stage. */
  record StageSnapshot(
      String name,
      long processed,
      long failed,
      long retries,
      long skipped,
      long lag,
      double utilisation,
      double meanBatch) {}

  static Snapshot of(Pipeline<?> pipeline) {
    Map<String, Long> now = pipeline.metrics();
    List<StageSnapshot> stages = new ArrayList<>();
    for (String metric : pipeline.counters()) {
      if (metric.endsWith(".processed")) {
        String stage = metric.substring(0, metric.lastIndexOf('.'));
        stages.add(
            new StageSnapshot(
                stage,
                now.get(stage + ".processed"),
                now.get(stage + ".failed"),
                now.get(stage + ".retries"),
                now.get(stage + ".skipped"),
                now.get(stage + ".lag"),
                now.get(stage + ".utilisationThousandths") / THOUSAND,
                now.get(stage + ".meanBatchThousandths") / THOUSAND));
      }
    }
    return new Snapshot(now.get("published"), now.get("freeSlots"), Counters.of(now), stages);
  }
}
