package dev.millrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Measured;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.RecordQueue;
import dev.millrace.queues.ShardedQueue;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Finds a metric that is published under the wrong name, as the wrong kind or in the wrong unit, a
 * meter that keeps its queue alive or stays after its binder, and a registry that has the queue
 * read once for each meter.
 */
@Timeout(120)
class MeasuredMetricsTest {
  /** A number. */
  interface Numbered {
    long number();

    void number(long value);
  }

  /** Counts how often it is read, and throws if asked to. */
  private static final class Source implements Measured {
    private long reads;
    private boolean throwsNow;

    @Override
    public List<String> counters() {
      return List.of("reads", "a.b.busyNanos");
    }

    @Override
    public List<String> gauges() {
      return List.of("now", "latencyP50Nanos", "loadThousandths", "heapBytes", "bytes");
    }

    @Override
    public void readMetrics(long[] values) {
      values[0] = ++reads;
      if (throwsNow) {
        throw new IllegalStateException("on purpose");
      }
      values[1] = 1_500_000_000;
      values[2] = reads;
      values[3] = 2_000_000;
      values[4] = 250;
      values[5] = 4096;
      values[6] = 512;
    }
  }

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private static void put(MpscQueue<Numbered> queue, int count) {
    var producer = queue.newProducer();
    for (int i = 0; i < count; i++) {
      producer.tryClaim().number(i);
      producer.commit();
    }
  }

  private double gauge(String name) {
    return registry.get("millrace." + name).gauge().value();
  }

  private double counter(String name) {
    return registry.get("millrace." + name).functionCounter().count();
  }

  // ---- names and values ----

  @Test
  void scrape_ofAQueue_hasItsMetricsInPrometheusFormat() {
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (MpscQueue<Numbered> queue = MpscQueue.of(Numbered.class, 8);
        MeasuredMetrics metrics = MeasuredMetrics.of("orders", queue)) {
      metrics.bindTo(prometheus);
      put(queue, 5);
      queue.consumer().tryPoll();
      queue.consumer().release();
      String tags = "{kind=\"MpscQueue\",name=\"orders\",part=\"none\"} ";
      assertThat(prometheus.scrape().lines())
          .contains(
              "# TYPE millrace_queue_committed_total counter",
              "millrace_queue_committed_total" + tags + "5.0",
              "millrace_queue_consumed_total" + tags + "1.0",
              "# TYPE millrace_queue_size gauge",
              "millrace_queue_size" + tags + "4.0",
              "millrace_queue_high_water" + tags + "4.0",
              "millrace_queue_out_of_use" + tags + "0.0")
          .filteredOn(line -> !line.startsWith("#"))
          .hasSize(queue.metrics().size());
    }
  }

  @Test
  void scrape_ofSeveralKinds_hasThemAll() throws Exception {
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    prometheus.throwExceptionOnRegistrationFailure();
    record Point(int x) {}
    Source source = new Source();
    try (MpscQueue<Numbered> queue = MpscQueue.of(Numbered.class, 8);
        ShardedQueue<Numbered> shards = ShardedQueue.of(Numbered.class, 2, 8);
        RecordQueue<Point> records = RecordQueue.of(Point.class, 8);
        MeasuredMetrics first = MeasuredMetrics.of("first", queue);
        MeasuredMetrics second = MeasuredMetrics.of("second", shards);
        MeasuredMetrics third = MeasuredMetrics.of("third", records);
        MeasuredMetrics fourth = MeasuredMetrics.of("fourth", source)) {
      put(shards.shard(1), 3);
      for (MeasuredMetrics metrics : List.of(first, second, third, fourth)) {
        metrics.bindTo(prometheus);
      }
      assertThat(prometheus.scrape().lines())
          .contains(
              "millrace_queue_size{kind=\"MpscQueue\",name=\"first\",part=\"none\"} 0.0",
              "millrace_queue_size{kind=\"ShardedQueue\",name=\"second\",part=\"shard0\"} 0.0",
              "millrace_queue_size{kind=\"ShardedQueue\",name=\"second\",part=\"shard1\"} 3.0",
              "millrace_queue_put_total{kind=\"RecordQueue\",name=\"third\",part=\"none\"} 0.0",
              "millrace_measured_busy_seconds_total{kind=\"Measured\",name=\"fourth\",part=\"a.b\"}"
                  + " 1.5",
              "millrace_measured_latency_p50_seconds{kind=\"Measured\",name=\"fourth\",part=\"none\"}"
                  + " 0.002",
              "millrace_measured_heap_bytes{kind=\"Measured\",name=\"fourth\",part=\"none\"}"
                  + " 4096.0",
              "millrace_measured_bytes{kind=\"Measured\",name=\"fourth\",part=\"none\"} 512.0",
              "millrace_measured_load{kind=\"Measured\",name=\"fourth\",part=\"none\"} 0.25");
      assertThat(source.reads).as("of one scrape").isEqualTo(1);
    }
  }

  @Test
  void meters_haveTheUnitsOfTheirMetrics() {
    Source source = new Source();
    MeasuredMetrics.of("source", source, Tags.of("team", "a")).bindTo(registry);
    assertThat(registry.getMeters())
        .hasSize(7)
        .allMatch(it -> "a".equals(it.getId().getTag("team")));
    assertThat(registry.get("millrace.measured.latency.p50").timeGauge())
        .returns(2.0, it -> it.value(TimeUnit.MILLISECONDS));
    assertThat(registry.get("millrace.measured.heap").gauge().getId().getBaseUnit())
        .isEqualTo("bytes");
    assertThat(gauge("measured.load")).isEqualTo(0.25);
    assertThat(counter("measured.busy")).isEqualTo(1.5);
    assertThat(source.reads).isPositive();
  }

  @Test
  void pipeline_hasItsStagesAsParts() throws Exception {
    ObjectRing<long[]> ring = ObjectRing.of(RingOptions.singleProducer(8), () -> new long[1]);
    Pipeline<long[]> pipeline =
        Pipeline.on(ring)
            .stage("book")
            .handledBy(Pipeline.each((event, _, _) -> event[0]++))
            .build();
    try (ring;
        pipeline;
        MeasuredMetrics metrics = MeasuredMetrics.of("trades", pipeline)) {
      metrics.bindTo(registry);
      assertThat(registry.get("millrace.pipeline.lag").tag("part", "book").gauge().value())
          .isZero();
      assertThat(registry.get("millrace.pipeline.free.slots").tag("part", "none").gauge().value())
          .isEqualTo(8);
    }
  }

  // ---- reading ----

  @Test
  void values_askedForAgain_areReadAgain() {
    Source source = new Source();
    MeasuredMetrics.of("source", source).bindTo(registry);
    assertThat(gauge("measured.now")).isEqualTo(1);
    assertThat(counter("measured.reads")).as("of the same reading").isEqualTo(1);
    assertThat(gauge("measured.now")).isEqualTo(2);
    assertThat(source.reads).isEqualTo(2);
  }

  @Test
  void values_askedForMuchLater_areReadAgain() {
    Source source = new Source();
    MeasuredMetrics.of("source", source).bindTo(registry);
    assertThat(gauge("measured.now")).isEqualTo(1);
    long begin = System.nanoTime();
    TestCall.await(() -> System.nanoTime() - begin > Reading.MAX_AGE_NANOS);
    assertThat(counter("measured.reads")).isEqualTo(2);
    assertThat(source.reads).isEqualTo(2);
  }

  @Test
  void values_ofASourceThatThrows_areNanOrStay() {
    Source source = new Source();
    MeasuredMetrics.of("source", source).bindTo(registry);
    assertThat(counter("measured.reads")).isEqualTo(1);
    source.throwsNow = true;
    assertThat(counter("measured.reads")).isEqualTo(1);
    assertThat(gauge("measured.now")).isNaN();
    source.throwsNow = false;
    assertThat(gauge("measured.now")).isEqualTo(4);
    assertThat(counter("measured.reads")).isEqualTo(4);
  }

  // ---- lifetime ----

  @Test
  void queue_closed_reportsItsFinalCounts() {
    MpscQueue<Numbered> queue = MpscQueue.of(Numbered.class, 8);
    MeasuredMetrics.of("closed", queue).bindTo(registry);
    put(queue, 5);
    assertThat(gauge("queue.size")).isEqualTo(5);
    queue.close();
    assertThat(gauge("queue.size")).isZero();
    assertThat(counter("queue.committed")).isEqualTo(5);
    assertThat(gauge("queue.capacity")).isEqualTo(8);
  }

  @Test
  void queue_unreachable_isCollectedThoughItsMetersAreRegistered() {
    CompositeMeterRegistry composite = new CompositeMeterRegistry();
    composite.add(registry);
    MeasuredMetrics metrics = MeasuredMetrics.of("dropped", new MpscQueueOwner().queue);
    WeakReference<Measured> queue = boundAndDropped(composite, registry);
    TestCall.await(
        () -> {
          System.gc();
          return queue.get() == null;
        });
    for (Meter meter : registry.getMeters()) {
      if (meter instanceof Gauge gauge && !(meter instanceof TimeGauge)) {
        assertThat(gauge.value()).as("%s", meter.getId()).isNaN();
      }
    }
    assertThat(counter("queue.put")).as("the last that was read").isEqualTo(1);
    assertThat(metrics).hasToString("MeasuredMetrics[name=dropped, kind=MpscQueue]");
  }

  /** Something that owns a queue. */
  private static final class MpscQueueOwner {
    private final MpscQueue<Numbered> queue = MpscQueue.of(Numbered.class, 8);
  }

  private static WeakReference<Measured> boundAndDropped(
      MeterRegistry composite, MeterRegistry registry) {
    record Point(int x) {}
    RecordQueue<Point> queue = RecordQueue.of(Point.class, 8);
    MeasuredMetrics.of("dropped", queue).bindTo(composite);
    queue.add(new Point(1));
    assertThat(registry.get("millrace.queue.put").functionCounter().count()).isEqualTo(1);
    assertThat(registry.get("millrace.queue.size").gauge().value()).isEqualTo(1);
    return new WeakReference<>(queue);
  }

  @Test
  void bindTo_ofAQueueThatIsGarbage_isRefused() {
    MeasuredMetrics metrics = MeasuredMetrics.of("garbage", new Source());
    TestCall.await(
        () -> {
          System.gc();
          try {
            metrics.bindTo(registry);
            metrics.close();
            return false;
          } catch (IllegalStateException e) {
            assertThat(e)
                .hasMessage(
                    "measured object was garbage-collected, keep a reference to it: %s", metrics);
            return true;
          }
        });
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void bindTo_whenTheNameIsTaken_isRefusedUntilTheOtherIsClosed() {
    Source first = new Source();
    Source second = new Source();
    registry.config().commonTags("host", "a");
    MeasuredMetrics metrics = MeasuredMetrics.of("taken", first);
    MeasuredMetrics others = MeasuredMetrics.of("taken", second);
    metrics.bindTo(registry);
    Throws.illegalArgument(
        "name is taken: the registry has a meter millrace.measured.reads already, "
            + "MeasuredMetrics[name=taken, kind=Measured]",
        () -> others.bindTo(registry),
        () -> metrics.bindTo(registry));
    assertThat(registry.getMeters()).hasSize(7);
    others.close();
    assertThat(registry.getMeters()).hasSize(7);

    metrics.close();
    metrics.close();
    assertThat(registry.getMeters()).isEmpty();
    others.bindTo(registry);
    assertThat(gauge("measured.now")).isEqualTo(1);
    assertThat(second.reads).isEqualTo(1);
    assertThat(first.reads).isZero();
  }

  @Test
  void of_withoutAName_isRefused() {
    Source source = new Source();
    Throws.nullArgument("name", () -> MeasuredMetrics.of(null, source));
    Throws.nullArgument("measured", () -> MeasuredMetrics.of("null", null));
    Throws.nullArgument("tags", () -> MeasuredMetrics.of("null", source, null));
    Throws.nullArgument("registry", () -> MeasuredMetrics.of("null", source).bindTo(null));
    assertThat(MeasuredMetrics.of(Throws.FLOOD, source).toString()).hasSizeLessThan(1_000);
  }
}
