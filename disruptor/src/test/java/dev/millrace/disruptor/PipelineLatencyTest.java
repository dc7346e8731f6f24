package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.core.Measured;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.disruptor.internal.Histogram;
import dev.millrace.disruptor.internal.Latency;
import dev.millrace.disruptor.internal.SampledTimes;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a sampled event that a stage counts twice, leaves out or times from another lap, and
 * percentiles that are off by more than a hundredth.
 */
class PipelineLatencyTest extends PipelineFixture {
  private static final List<String> NAMES =
      List.of("latencyP50Nanos", "latencyP99Nanos", "latencyP999Nanos", "latencyMaxNanos");

  /** Two stages side by side, one of two handlers and one that shares, and two behind them. */
  private PipelineBuilder<Event> graph() {
    PipelineBuilder<Event> stages = on(64);
    stages.stage("each").handledBy(NOTHING, NOTHING);
    stages.stage("shared").sharedBy(3, () -> NOTHING);
    stages.stage("keyed").after("each", "shared").sharedByKey(2, Event::value, () -> NOTHING);
    return stages.stage("last").after("shared").handledBy(NOTHING);
  }

  @Test
  void latencies_ofEachSampledEvent_areCountedOnceByEachStage() throws Exception {
    for (int every : new int[] {1, 8, 64, 256}) {
      start(graph().latencies(every));
      int producers = kind.producers(3);
      TestCall.results(TestCall.run(producers, () -> ring.publishAll(0, 8_000)));
      drain();
      Map<String, Long> metrics = pipeline.metrics();
      long sampled = (8_000L * producers + every - 1) / every;
      for (String point : List.of("each.", "shared.", "keyed.", "last.", "")) {
        assertThat(metrics.get(point + "latencyCount")).as(point + every).isEqualTo(sampled);
        List<Long> values = NAMES.stream().map(name -> metrics.get(point + name)).toList();
        assertThat(values).isSorted();
        assertThat(values.getFirst()).isPositive();
        // an old time, or none, would be seconds off
        assertThat(values.getLast()).isLessThan(TestCall.LONG.toNanos());
      }
      close();
    }
  }

  @Test
  void latencies_whileAStageIsHeld_areThatLong() throws Exception {
    PipelineBuilder<Event> stages = on(16).latencies(1);
    stages.stage("quick").handledBy(NOTHING);
    stages.stage("held").after("quick").handledBy(held);
    start(stages.stage("beside").handledBy(NOTHING));
    long from = System.nanoTime();
    ring.publish(0);
    long published = System.nanoTime();
    held.awaitReached();
    TestCall.await(() -> pipeline.metrics().get("beside.latencyCount") == 1);
    assertThat(pipeline.metrics())
        .containsEntry("held.latencyCount", 0L)
        .containsEntry("held.latencyMaxNanos", 0L)
        .containsEntry("latencyCount", 0L);
    long letGo = System.nanoTime();
    held.letGo();
    drain();
    long most = System.nanoTime() - from;
    Map<String, Long> metrics = pipeline.metrics();
    for (String point : List.of("held.", "")) {
      for (String name : NAMES) {
        assertThat(metrics.get(point + name))
            .as(point + name)
            .isBetween(letGo - published, most + most / 100);
      }
    }
    long longestOfQuick = letGo - from;
    assertThat(metrics.get("quick.latencyMaxNanos"))
        .isLessThanOrEqualTo(longestOfQuick + longestOfQuick / 100);
  }

  @Test
  void percentiles_ofKnownLatencies_areWithinAHundredth() {
    SampledTimes times = new SampledTimes(2, 1024);
    Latency latency = new Latency(times, 1, Histogram.BUCKETS);
    Latency.Recorder recorder = latency.newRecorder();
    long now = System.nanoTime();
    times.note(0, 1);
    assertThat(times.at(0)).isBetween(now, System.nanoTime());
    times.note(1, 2);
    assertThat(times.at(1)).as("not sampled").isEqualTo(times.at(0));
    try (Histogram own = recorder.own) {
      for (int i = 1; i <= 1_000; i++) {
        own.record(i * 1_000L);
      }
      latency.refresh();
      assertThat(latency.percentile(0.5)).isCloseTo(500_000, within(5_000L));
      assertThat(latency.percentile(0.99)).isCloseTo(990_000, within(9_900L));
      assertThat(latency.percentile(0.999)).isCloseTo(999_000, within(9_990L));
      assertThat(latency.percentile(1)).isBetween(1_000_000L, 1_010_000L);
      assertThat(latency.total()).isEqualTo(1_000);
      latency.beginAnew();
      own.record(7);
      latency.refresh();
      assertThat(Stream.of(0.5, 0.99, 0.999, 1.0).map(latency::percentile)).containsOnly(7L);
      assertThat(latency.total()).isOne();
    }
  }

  @Test
  void latencies_byDefault_areNotMeasured() throws Exception {
    PipelineBuilder<Event> graph = graph();
    long bytes = Measured.nativeBytesInUse();
    start(graph);
    ring.publishAll(0, 1_000);
    drain();
    assertThat(pipeline.metrics().keySet()).noneMatch(name -> name.contains("atency"));
    assertThat(Measured.nativeBytesInUse()).isEqualTo(bytes);
  }

  @Test
  void latencies_beginAnewBehindTheWarmUp_andStayWhenClosed() throws Exception {
    PipelineBuilder<Event> graph = graph();
    long bytes = Measured.nativeBytesInUse();
    start(graph.latencies(16));
    pipeline.warmUp(1_600, event -> event.value(-1));
    assertThat(pipeline.metrics())
        .containsEntry("keyed.latencyCount", 0L)
        .containsEntry("latencyCount", 0L)
        .containsEntry("latencyMaxNanos", 0L);
    ring.publishAll(0, 160);
    drain();
    Map<String, Long> drained = pipeline.metrics();
    pipeline.close();
    pipeline.close();
    assertThat(drained).containsEntry("latencyCount", 10L);
    for (String name : List.of("latencyCount", "latencyP50Nanos", "last.latencyMaxNanos")) {
      assertThat(pipeline.metrics()).containsEntry(name, drained.get(name));
    }
    assertThat(Measured.nativeBytesInUse()).isLessThanOrEqualTo(bytes);
  }

  @Test
  void latencies_ofAbortedEvents_areNotCounted() throws Exception {
    PipelineBuilder<Event> stages = on(16).latencies(1).stage("a").handledBy(NOTHING, NOTHING);
    start(stages.stage("b").after("a").handledBy(NOTHING));
    for (int i = 0; i < 300; i++) {
      long sequence = ring.sequencer().claim();
      if (i % 3 == 0) {
        ring.sequencer().abort(sequence);
      } else {
        ring.sequencer().commit(sequence);
      }
    }
    drain();
    assertThat(pipeline.metrics())
        .containsEntry("a.latencyCount", 200L)
        .containsEntry("b.latencyCount", 200L)
        .containsEntry("latencyCount", 200L);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 3, 1_000, Integer.MIN_VALUE})
  void latencies_ofOtherThanAPowerOfTwo_areRefused(int every) {
    Throws.illegalArgument(
        "every must be a power of two in 1..1073741824: every=" + every,
        () -> on(16).latencies(every));
  }
}
