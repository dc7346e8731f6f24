package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.Utf8;
import dev.millrace.testkit.Throws;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A {@link RecordQueue} of records with values of the JDK and of what may be absent. */
class RecordQueueComponentsTest {
  record Order(
      UUID id, Instant time, Integer clip, OptionalDouble limit, @Utf8(8) Optional<String> venue) {}

  @Test
  void poll_afterOffer_isEqual() {
    Order full =
        new Order(
            new UUID(1, 2), Instant.MAX, -1, OptionalDouble.of(Double.NaN), Optional.of("XLON"));
    Order bare =
        new Order(new UUID(0, 0), Instant.MIN, null, OptionalDouble.empty(), Optional.empty());
    try (RecordQueue<Order> queue = RecordQueue.of(Order.class, 4)) {
      for (int round = 0; round < 4; round++) {
        assertThat(queue.offer(full)).isTrue();
        assertThat(queue.offer(bare)).isTrue();
        Throws.illegalArgument(
            "component must not be null: component=Order.id",
            () ->
                queue.offer(
                    new Order(null, Instant.EPOCH, 1, OptionalDouble.empty(), Optional.empty())));
        assertThat(queue.poll()).isEqualTo(full);
        assertThat(queue.poll()).isEqualTo(bare);
        assertThat(queue.poll()).isNull();
      }
    }
  }
}
