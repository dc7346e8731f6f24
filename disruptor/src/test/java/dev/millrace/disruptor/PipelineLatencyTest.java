package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.core.Measured;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.disruptor.TestRing.Kind;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Latencies of sampled events, by stage and end to end. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PipelineLatencyTest {
  private static final List<String> NAMES =
      List.of(
          "latencyP50Nanos",
          "latencyP99Nanos",
          "latencyP999Nanos",
          "latencyMaxNanos",
          "latencyCount");

  /** Two stages side by side, one of two handlers and one that shares, and two behind them. */
  private static PipelineBuilder<Event> graph(TestRing ring) {
    return ring.pipeline()
        .stage("each")
        .handledBy(batch -> {}, batch -> {})
        .stage("shared")
        .sharedBy(3, () -> batch -> {})
        .stage("keyed")
        .after("each", "shared")
        .sharedByKey(2, Event::value, () -> batch -> {})
        .stage("last")
        .after("shared")
        .handledBy(batch -> {});
  }

  @ParameterizedTest
  @EnumSource
  void latencies_ofEachSampledEvent_areCountedOnceByEachStage(Kind kind) throws Exception {
    for (int every : new int[] {1, 8, 64, 256}) {
      TestRing ring = kind.of(64);
      try (Pipeline<Event> pipeline = graph(ring).latencies(every).build().start()) {
        ring.publishAll(0, 10_000);
        assertThat(pipeline.drain(TestCall.LONG)).isTrue();
        Map<String, Long> metrics = pipeline.metrics();
        long sampled = (10_000L + every - 1) / every;
        for (String point : List.of("each.", "shared.", "keyed.", "last.", "")) {
          assertThat(metrics.get(point + "latencyCount")).as(point + every).isEqualTo(sampled);
          assertRise(metrics, point);
        }
      }
    }
  }

  private static void assertRise(Map<String, Long> metrics, String point) {
    List<Long> values =
        NAMES.subList(0, 4).stream().map(name -> metrics.get(point + name)).toList();
    assertThat(values).isSorted();
    assertThat(values.getFirst()).isPositive();
  }

  @ParameterizedTest
  @EnumSource(names = {"RECORDS_OF_MANY", "OBJECTS_OF_MANY"})
  void latencies_ofSeveralProducers_areCountedOnce(Kind kind) throws Exception {
    TestRing ring = kind.of(64);
    try (Pipeline<Event> pipeline = graph(ring).latencies(4).build().start()) {
      List<TestCall<Boolean>> producers = TestCall.run(3, () -> ring.publishAll(0, 8_000));
      TestCall.results(producers);
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      Map<String, Long> metrics = pipeline.metrics();
      for (String point : List.of("each.", "shared.", "keyed.", "last.", "")) {
        assertThat(metrics.get(point + "latencyCount")).as(point).isEqualTo(6_000);
        // an old time, or none, would be seconds off
        assertThat(metrics.get(point + "latencyMaxNanos")).isLessThan(TestCall.LONG.toNanos());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void latencies_whileAStageIsHeld_areThatLong(Kind kind) throws Exception {
    TestRing ring = kind.of(16);
    HeldHandler held = new HeldHandler();
    try (Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("quick")
            .handledBy(batch -> {})
            .stage("held")
            .after("quick")
            .handledBy(held)
            .stage("beside")
            .handledBy(batch -> {})
            .latencies(1)
            .build()
            .start()) {
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
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      long end = System.nanoTime();
      Map<String, Long> metrics = pipeline.metrics();
      long least = letGo - published;
      long most = end - from;
      for (String point : List.of("held.", "")) {
        for (String name : NAMES.subList(0, 4)) {
          assertThat(metrics.get(point + name))
              .as(point + name)
              .isBetween(least, most + most / 100);
        }
      }
      long longestOfQuick = letGo - from;
      assertThat(metrics.get("quick.latencyMaxNanos"))
          .isLessThanOrEqualTo(longestOfQuick + longestOfQuick / 100);
    }
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

  @ParameterizedTest
  @EnumSource
  void latencies_byDefault_areNotMeasured(Kind kind) throws Exception {
    TestRing ring = kind.of(64);
    long bytes = Measured.nativeBytesInUse();
    try (Pipeline<Event> pipeline = graph(ring).build().start()) {
      ring.publishAll(0, 1_000);
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(pipeline.metrics().keySet()).noneMatch(name -> name.contains("atency"));
      assertThat(Measured.nativeBytesInUse()).isEqualTo(bytes);
    }
  }

  @ParameterizedTest
  @EnumSource
  void latencies_beginAnewBehindTheWarmUp_andStayWhenClosed(Kind kind) throws Exception {
    TestRing ring = kind.of(64);
    long bytes = Measured.nativeBytesInUse();
    Pipeline<Event> pipeline = graph(ring).latencies(16).build().start();
    pipeline.warmUp(1_600, event -> event.value(-1));
    assertThat(pipeline.metrics())
        .containsEntry("keyed.latencyCount", 0L)
        .containsEntry("latencyCount", 0L)
        .containsEntry("latencyMaxNanos", 0L);
    ring.publishAll(0, 160);
    assertThat(pipeline.drain(TestCall.LONG)).isTrue();
    Map<String, Long> drained = pipeline.metrics();
    pipeline.close();
    pipeline.close();
    assertThat(drained).containsEntry("latencyCount", 10L);
    assertThat(pipeline.metrics())
        .containsAllEntriesOf(
            Map.of(
                "latencyCount", 10L,
                "latencyP50Nanos", drained.get("latencyP50Nanos"),
                "last.latencyMaxNanos", drained.get("last.latencyMaxNanos")));
    assertThat(Measured.nativeBytesInUse()).isLessThanOrEqualTo(bytes);
  }

  @Test
  void latencies_ofAbortedAndSkippedEvents_areNotCounted() throws Exception {
    ObjectRing<TestRing.ObjectEvent> ring =
        ObjectRing.of(RingOptions.multiProducer(16), TestRing.ObjectEvent::new);
    try (Pipeline<TestRing.ObjectEvent> pipeline =
        Pipeline.on(ring)
            .stage("a")
            .handledBy(batch -> {}, batch -> {})
            .stage("b")
            .after("a")
            .handledBy(batch -> {})
            .latencies(1)
            .build()
            .start()) {
      for (int i = 0; i < 300; i++) {
        long sequence = ring.sequencer().claim();
        if (i % 3 == 0) {
          ring.sequencer().abort(sequence);
        } else {
          ring.sequencer().commit(sequence);
        }
      }
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(pipeline.metrics())
          .containsEntry("a.latencyCount", 200L)
          .containsEntry("b.latencyCount", 200L)
          .containsEntry("latencyCount", 200L);
    }
  }

  @Test
  void latencies_ofOtherThanAPowerOfTwo_areRefused() {
    for (int every : new int[] {0, -1, 3, 1_000, Integer.MIN_VALUE}) {
      assertThatThrownBy(() -> Kind.OBJECTS_OF_ONE.of(16).pipeline().latencies(every))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("every must be a power of two in 1..1073741824: every=" + every);
    }
  }
}
