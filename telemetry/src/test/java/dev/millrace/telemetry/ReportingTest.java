package dev.millrace.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.millrace.core.Producer;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.ShardedQueue;
import dev.millrace.telemetry.Telemetry.Options;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Finds a metric that is reported under the wrong label or as the wrong kind, and a source that
 * leaves counters behind when it is stopped or refused.
 */
class ReportingTest {
  private static final Options ON_DEMAND = Options.defaults().withSamplePeriod(Duration.ZERO);

  private final Telemetry telemetry = Telemetry.inMemory(ON_DEMAND);

  /** A number. */
  interface Numbered {
    long number();

    void number(long value);
  }

  @AfterEach
  void close() {
    telemetry.close();
  }

  private static Map<String, Long> values(Telemetry telemetry) {
    TelemetryReader reader = telemetry.newReader();
    Map<String, Long> values = new HashMap<>(reader.counters());
    values.putAll(reader.gauges());
    return values;
  }

  private Map<String, Long> values() {
    return values(telemetry);
  }

  private static void put(Producer<Numbered> producer, int count) {
    for (int i = 0; i < count; i++) {
      producer.tryClaim().number(i);
      producer.commit();
    }
  }

  // ---- sources ----

  @Test
  void report_aQueue_tellsItsMetrics() {
    MpscQueue<Numbered> queue = MpscQueue.of(Numbered.class, 8);
    telemetry.report("trades", queue);
    assertThat(values()).contains(entry("trades.size", 0L), entry("trades.capacity", 8L));

    put(queue.newProducer(), 5);
    assertThat(queue.consumer().tryPoll()).isNotNull();
    queue.consumer().release();
    assertThat(values()).as("not sampled yet").containsEntry("trades.size", 0L);
    telemetry.sample();
    assertThat(values())
        .contains(
            entry("trades.size", 4L),
            entry("trades.highWater", 4L),
            entry("trades.claimed", 5L),
            entry("trades.committed", 5L),
            entry("trades.consumed", 1L),
            entry("trades.dropped", 0L),
            entry("trades.sampleFailures", 0L))
        .hasSize(12);
    assertThat(telemetry.newReader().gauges())
        .containsOnlyKeys("trades.size", "trades.capacity", "trades.highWater", "trades.outOfUse");
    queue.close();
    telemetry.sample();
    assertThat(values()).contains(entry("trades.size", 0L), entry("trades.sampleFailures", 0L));
  }

  @Test
  void report_shards_tellsTheMetricsOfEach() throws Exception {
    try (ShardedQueue<Numbered> shards = ShardedQueue.of(Numbered.class, 2, 8)) {
      telemetry.report("shards", shards);
      put(shards.shard(1).newProducer(), 3);
      telemetry.sample();
      assertThat(values())
          .contains(entry("shards.shard0.size", 0L), entry("shards.shard1.size", 3L));
    }
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
  void report_withAPeriod_isSampledByItself() {
    AtomicLong number = new AtomicLong();
    Telemetry periodic =
        Telemetry.inMemory(Options.defaults().withSamplePeriod(Duration.ofMillis(2)));
    periodic.report(
        "bad",
        () -> {
          throw new IllegalStateException("on purpose");
        });
    periodic.report("number", number::incrementAndGet);
    TestCall.await(() -> values(periodic).get("number") > 5);
    TestCall.await(() -> values(periodic).get("bad.sampleFailures") > 5);
    periodic.close();
    long last = number.get();
    TestCall.await(
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("millrace-telemetry-sampler")));
    assertThat(number.get()).as("once nobody is left to sample").isEqualTo(last);
  }

  @Test
  void stopReporting_ofAQueue_freesItsCounters() {
    try (KFifoQueue<Numbered> queue = KFifoQueue.of(Numbered.class, 2, 8);
        Telemetry small = Telemetry.inMemory(ON_DEMAND.withCapacity(5))) {
      for (int i = 0; i < 3; i++) {
        small.report("queue", queue);
        assertThat(values(small)).hasSize(5);
        small.stopReporting("queue");
        small.stopReporting("queue");
        assertThat(values(small)).isEmpty();
        small.sample();
      }
    }
  }

  @Test
  void report_whenTheTableHasNoRoom_leavesNothingBehind() {
    try (KFifoQueue<Numbered> queue = KFifoQueue.of(Numbered.class, 2, 8);
        Telemetry small = Telemetry.inMemory(ON_DEMAND.withCapacity(4))) {
      Throws.illegalState("...capacity=4, used=4...", () -> small.report("queue", queue));
      assertThat(values(small)).isEmpty();
      small.sample();
    }
  }
}
