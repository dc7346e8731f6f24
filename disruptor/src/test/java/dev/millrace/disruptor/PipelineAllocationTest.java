package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.testkit.Allocations;
import dev.millrace.testkit.TestCall;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Finds an allocation for each event, in a producer or in a stage of any kind. */
class PipelineAllocationTest {
  private static final int EVENTS = 100_000;

  /** Places for threads to rest, once; and what the JDK does in the background. */
  private static final double BYTES_PER_EVENT = 0.5;

  private interface Publisher {
    void publish(int count) throws InterruptedException;
  }

  static Stream<RingOptions> options() {
    return Stream.of(WaitStrategy.sleeping(Duration.ofNanos(1_000)), WaitStrategy.parking())
        .flatMap(
            strategy ->
                Stream.of(RingOptions.singleProducer(1024), RingOptions.multiProducer(1024))
                    .map(options -> options.withProducerWaits(strategy)));
  }

  @ParameterizedTest
  @MethodSource("options")
  void records_inSteadyState_allocateNothing(RingOptions options) throws Exception {
    RecordRing<Event> ring = RecordRing.of(Event.class, options);
    RingProducer<Event> producer = options.manyProducers() ? ring.newProducer() : ring.producer();
    assertAllocatesNothing(
        Pipeline.on(ring),
        options.producerWaits(),
        count -> {
          for (int i = 0; i < count; i++) {
            producer.claim().value(i);
            producer.commit();
          }
        });
  }

  @ParameterizedTest
  @MethodSource("options")
  void objects_inSteadyState_allocateNothing(RingOptions options) throws Exception {
    ObjectRing<Event> ring = ObjectRing.of(options, TestRing::newObject);
    assertAllocatesNothing(
        Pipeline.on(ring),
        options.producerWaits(),
        count -> {
          for (int i = 0; i < count; i++) {
            ring.publish((event, source) -> event.value(source.note()), ring.get(0));
          }
        });
  }

  private static <E extends Event> void assertAllocatesNothing(
      PipelineBuilder<E> builder, WaitStrategy strategy, Publisher publisher) throws Exception {
    long[] handled = new long[1];
    try (Pipeline<E> pipeline = pipeline(builder, strategy, handled).start()) {
      publisher.publish(EVENTS); // what is made once
      long workersBytes = workersBytes(pipeline, EVENTS);
      long ownBytes = Allocations.bytesIn(() -> publisher.publish(EVENTS));
      workersBytes = workersBytes(pipeline, 2 * EVENTS) - workersBytes;
      assertThat(ownBytes / (double) EVENTS).as("producer").isLessThan(BYTES_PER_EVENT);
      assertThat(workersBytes / (double) EVENTS).as("stages").isLessThan(BYTES_PER_EVENT);
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(handled[0]).isEqualTo(2 * EVENTS);
    }
  }

  private static <E extends Event> Pipeline<E> pipeline(
      PipelineBuilder<E> builder, WaitStrategy strategy, long[] handled) {
    return builder
        .stage("shared")
        .sharedBy(2, () -> Pipeline.each((event, at, isLast) -> event.note(at)))
        .waiting(strategy)
        .stage("keyed")
        .sharedByKey(2, Event::value, () -> Pipeline.each((event, at, isLast) -> event.other(at)))
        .waiting(strategy)
        .stage("last")
        .after("shared", "keyed")
        .handledBy(
            batch -> {
              while (batch.next()) {
                boolean isDone =
                    batch.event().note() == batch.sequence()
                        && batch.event().other() == batch.sequence();
                handled[0] += isDone ? 1 : 0;
              }
            })
        .waiting(strategy)
        .latencies(4)
        .build();
  }

  /** What the pipeline's threads have allocated when they have handled so many events. */
  private static long workersBytes(Pipeline<?> pipeline, long events) {
    TestCall.await(() -> Snapshot.of(pipeline).stages().getLast().processed() == events);
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("pipeline-"))
        .mapToLong(Allocations::bytesOf)
        .sum();
  }
}
