package dev.millrace.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.queues.HistoryRing;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.OffHeapQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.RecordQueue;
import dev.millrace.queues.SpscQueue;
import dev.millrace.queues.ends.KFifoProducer;
import dev.millrace.queues.ends.KFifoQueue;
import dev.millrace.queues.ends.MpscProducer;
import dev.millrace.queues.ends.ShardedQueue;
import dev.millrace.telemetry.Telemetry.Options;
import dev.millrace.telemetry.Telemetry.Reporting;
import dev.millrace.telemetry.TelemetryReader.Reading;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Queues, rings, pipelines and numbers that report themselves. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReportingTest {
  private static final Options ON_DEMAND = Options.defaults().withSamplePeriod(Duration.ZERO);

  private final Telemetry telemetry = Telemetry.inMemory(ON_DEMAND);

  /** A number. */
  static final class Numbered extends Flyweight {
    private static final RecordLayout LAYOUT =
        RecordLayout.of(ValueLayout.JAVA_LONG.withName("number"));

    Numbered(MemorySegment memory) {
      super(LAYOUT, memory);
    }
  }

  record Trade(long price) {}

  @AfterEach
  void close() {
    telemetry.close();
  }

  private static Map<String, Long> values(Telemetry telemetry) {
    return telemetry.newReader().counters().stream()
        .collect(Collectors.toMap(Reading::label, Reading::value));
  }

  private Map<String, Long> values() {
    return values(telemetry);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(1);
    }
  }

  private static void put(OffHeapQueue<Numbered> queue, int count) {
    Numbered number = queue.newFlyweight();
    for (int i = 0; i < count; i++) {
      assertThat(queue.tryClaim(number)).isTrue();
      queue.commit(number);
    }
  }

  // ---- sources ----

  static Stream<OffHeapQueue<Numbered>> queues() {
    return Stream.of(
        SpscQueue.of(8, Numbered::new),
        MpscQueue.of(8, Numbered::new),
        MpmcQueue.of(8, Numbered::new));
  }

  @ParameterizedTest
  @MethodSource("queues")
  void report_aQueue_tellsItsCounts(OffHeapQueue<Numbered> queue) {
    telemetry.report("trades", queue);
    assertThat(values()).contains(entry("trades.size", 0L), entry("trades.capacity", 8L));

    put(queue, 5);
    Numbered number = queue.newFlyweight();
    assertThat(queue.tryPoll(number)).isTrue();
    queue.release(number);
    assertThat(values()).as("not sampled yet").containsEntry("trades.size", 0L);
    telemetry.sample();
    assertThat(values())
        .contains(
            entry("trades.size", 4L),
            entry("trades.claimed", 5L),
            entry("trades.committed", 5L),
            entry("trades.consumed", 1L),
            entry("trades.dropped", 0L),
            entry("trades.sampleFailures", 0L))
        .hasSize(12);
    queue.abandon();
    telemetry.sample();
    assertThat(values()).contains(entry("trades.size", 0L), entry("trades.sampleFailures", 0L));
  }

  @Test
  void report_otherQueues_tellsWhatTheyTell() {
    try (KFifoQueue<Numbered> kFifo =
            KFifoQueue.of(FlyweightType.of(Numbered::new), 2, QueueOptions.ofCapacity(8));
        KFifoProducer<Numbered> producer = kFifo.newProducer();
        RecordQueue<Trade> records = RecordQueue.of(Trade.class, 8);
        ShardedQueue<Numbered> shards =
            ShardedQueue.of(FlyweightType.of(Numbered::new), 2, QueueOptions.ofCapacity(8));
        HistoryRing<Numbered> history = HistoryRing.single(FlyweightType.of(Numbered::new), 3)) {
      telemetry.report("fifo", kFifo);
      telemetry.report("records", records);
      telemetry.report("shards", shards);
      telemetry.report("history", history);
      assertThat(producer.tryClaim()).isNotNull();
      producer.commit();
      records.add(new Trade(1));
      records.add(new Trade(2));
      MpscProducer<Numbered> inShard = shards.shard(1).newProducer();
      assertThat(inShard.tryClaim(3)).isEqualTo(3);
      inShard.commit();
      assertThat(history.producer().tryClaim()).isNotNull();
      history.producer().abort();

      telemetry.sample();
      assertThat(values())
          .contains(
              entry("fifo.size", 1L),
              entry("fifo.capacity", 8L),
              entry("records.size", 2L),
              entry("records.free", 6L),
              entry("shards.shard0.size", 0L),
              entry("shards.shard1.size", 3L),
              entry("history.capacity", 3L),
              entry("history.claimed", 1L),
              entry("history.refused", 1L));
    }
  }

  @Test
  void reportPipeline_tellsItsStages() throws Exception {
    ObjectRing<AtomicLong> ring = ObjectRing.of(RingOptions.singleProducer(16), AtomicLong::new);
    try (Pipeline<AtomicLong> pipeline =
        Pipeline.on(ring)
            .stage("parse", stage -> stage.handledBy(batch -> {}))
            .stage("store", stage -> stage.after("parse").handledBy(batch -> {}))
            .build()
            .start()) {
      telemetry.reportPipeline("trades", pipeline);
      for (long i = 0; i < 10; i++) {
        ring.publish(AtomicLong::set, i);
      }
      assertThat(pipeline.drain(Duration.ofSeconds(30))).isTrue();
      telemetry.sample();
      assertThat(values())
          .contains(
              entry("trades.published", 10L),
              entry("trades.freeSlots", 16L),
              entry("trades.parse.processed", 10L),
              entry("trades.parse.lag", 0L),
              entry("trades.store.processed", 10L),
              entry("trades.store.failed", 0L),
              entry("trades.sampleFailures", 0L))
          .hasSize(6 + 2 * 7 + 1);
      assertThat(values().get("trades.store.meanBatchThousandths")).isBetween(1_000L, 10_000L);
    }
    telemetry.sample();
    assertThat(values()).containsEntry("trades.sampleFailures", 0L);
  }

  // ---- the sampler ----

  @Test
  void sample_ofASourceThatThrows_isCountedAndOthersGoOn() {
    AtomicLong number = new AtomicLong(1);
    AtomicLong failing = new AtomicLong();
    telemetry.report(
        "bad",
        () -> {
          if (number.get() > 1) {
            throw new AssertionError("on purpose");
          }
          return failing.incrementAndGet();
        });
    telemetry.report("good", number::get);
    number.set(2);
    telemetry.sample();
    number.set(3);
    telemetry.sample();
    assertThat(values())
        .containsOnly(
            entry("bad", 1L),
            entry("bad.sampleFailures", 2L),
            entry("good", 3L),
            entry("good.sampleFailures", 0L));
  }

  @Test
  void report_withAPeriod_isSampledByItself() throws InterruptedException {
    AtomicLong number = new AtomicLong();
    Telemetry periodic =
        Telemetry.inMemory(Options.defaults().withSamplePeriod(Duration.ofMillis(2)));
    periodic.report(
        "bad",
        () -> {
          throw new IllegalStateException("on purpose");
        });
    periodic.report("number", number::incrementAndGet);
    await(() -> values(periodic).get("number") > 5);
    await(() -> values(periodic).get("bad.sampleFailures") > 5);
    periodic.close();
    long last = number.get();
    await(
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("millrace-telemetry-sampler")));
    assertThat(number.get()).as("once nobody is left to sample").isEqualTo(last);
  }

  @Test
  void close_ofAReporting_freesItsCounters() {
    try (SpscQueue<Numbered> queue = SpscQueue.of(8, Numbered::new);
        Telemetry small = Telemetry.inMemory(ON_DEMAND.withCapacity(12))) {
      for (int i = 0; i < 3; i++) {
        Reporting reporting = small.report("queue", queue);
        assertThat(values(small)).hasSize(12);
        reporting.close();
        reporting.close();
        assertThat(values(small)).isEmpty();
        small.sample();
      }
    }
  }

  @Test
  void report_whenTheTableHasNoRoom_leavesNothingBehind() {
    try (SpscQueue<Numbered> queue = SpscQueue.of(8, Numbered::new);
        Telemetry small = Telemetry.inMemory(ON_DEMAND.withCapacity(11))) {
      assertThatThrownBy(() -> small.report("queue", queue))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("capacity=11, used=11");
      assertThat(values(small)).isEmpty();
      small.sample();
    }
  }

  @Test
  void close_ofTheTelemetry_samplesOnceMore() throws Exception {
    AtomicLong number = new AtomicLong(1);
    Path file = Files.createTempFile("millrace", ".telemetry");
    Telemetry inFile = Telemetry.create(file, ON_DEMAND);
    Reporting reporting = inFile.report("number", number::get);
    number.set(2);
    inFile.close();
    reporting.close();
    try (TelemetryReader reader = TelemetryReader.open(file)) {
      assertThat(reader.counters()).extracting(Reading::value).containsExactly(2L, 0L);
    } finally {
      Files.delete(file);
    }
  }
}
