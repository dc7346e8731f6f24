package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.OnFull;
import dev.millrace.core.Producer;
import dev.millrace.flyweight.Utf8;
import dev.millrace.queues.QueueContract.Point;
import dev.millrace.testkit.Throws;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds a factory for an interface that loses the options it was given, and a type that should have
 * been sent to another kind of queue.
 */
class FactoriesTest {
  static Stream<BiFunction<Class<Point>, QueueOptions, OffHeapQueue<Point>>> factories() {
    return Stream.of(
        SpscQueue::of,
        MpscQueue::of,
        MpmcQueue::of,
        (type, options) -> KFifoQueue.of(type, 2, options));
  }

  private static Producer<Point> producerOf(OffHeapQueue<Point> queue) {
    return switch (queue) {
      case SpscQueue<Point> spsc -> spsc.producer();
      case MpscQueue<Point> mpsc -> mpsc.newProducer();
      case MpmcQueue<Point> mpmc -> mpmc.newProducer();
      case KFifoQueue<Point> fifo -> fifo.newProducer();
      default -> throw new AssertionError(queue);
    };
  }

  private static final QueueOptions DROPS =
      QueueOptions.ofCapacity(8).withOnFull(OnFull.DROP_NEWEST);

  @ParameterizedTest
  @MethodSource("factories")
  void of_anInterfaceAndOptions_hasBoth(
      BiFunction<Class<Point>, QueueOptions, OffHeapQueue<Point>> factory) throws Exception {
    try (OffHeapQueue<Point> queue = factory.apply(Point.class, DROPS)) {
      Producer<Point> producer = producerOf(queue);
      for (int i = 0; i < 8; i++) {
        QueueContract.put(producer, i);
      }
      assertThat(producer.claim()).as("dropped").isNull();
    }
    Throws.nullArgument("options", () -> factory.apply(Point.class, null));
    Throws.nullArgument("type", () -> factory.apply(null, DROPS));
  }

  @Test
  void of_shards_hasBoth() throws Exception {
    try (ShardedQueue<Point> queue = ShardedQueue.of(Point.class, 2, DROPS)) {
      assertThat(queue.shards()).isEqualTo(2);
      assertThat(queue.shard(1).capacity()).isEqualTo(8);
    }
    Throws.nullArgument("options", () -> ShardedQueue.of(Point.class, 2, null));
  }

  // ---- what is no interface, or no record ----

  record Line(@Utf8(64) String text) {}

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"}) // as who does not care for the type's bounds
  void of_theOtherKindOfType_namesTheQueueThatTakesIt() {
    Class<Line> line = Line.class;
    assertThat(factories())
        .allSatisfy(
            factory ->
                assertThatThrownBy(() -> factory.apply((Class) line, DROPS))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Line is a record, which RecordQueue takes"));
    Throws.illegalArgument(
        "type must be a record or a sealed interface of records: type=...Point, an interface that"
            + " is not sealed: SpscQueue, MpscQueue and MpmcQueue take one as the view of a record",
        () -> RecordQueue.of((Class) Point.class, 8),
        () -> RecordQueue.of((Class) Point.class, DROPS));
    Throws.illegalArgument(
        "type must be a record or a sealed interface of records: type=java.lang.String",
        () -> RecordQueue.of((Class) String.class, 8));
  }
}
