package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PipelineTest {
  static final class Cell {
    long value;
    long doubled;
    long squared;
  }

  @Test
  void diamond_ofObjects_handlesEachEventOnceEverywhere() throws Exception {
    for (boolean many : new boolean[] {false, true}) {
      RingOptions options = many ? RingOptions.multiProducer(64) : RingOptions.singleProducer(64);
      ObjectRing<Cell> ring = ObjectRing.of(options, Cell::new);
      AtomicLong sum = new AtomicLong();
      try (Pipeline<Cell> pipeline =
          Pipeline.on(ring)
              .stage(
                  "double",
                  stage ->
                      stage
                          .sharedBy(
                              3,
                              () -> Pipeline.each((cell, at, end) -> cell.doubled = 2 * cell.value))
                          .waiting(WaitStrategy.parking()))
              .stage(
                  "square",
                  stage ->
                      stage.handledBy(
                          Pipeline.each((cell, at, end) -> cell.squared = cell.value * cell.value)))
              .stage(
                  "sum",
                  stage ->
                      stage
                          .after("double", "square")
                          .sharedByKey(
                              2,
                              cell -> cell.value,
                              () ->
                                  batch -> {
                                    while (batch.next()) {
                                      sum.addAndGet(batch.event().doubled + batch.event().squared);
                                    }
                                  }))
              .build()) {
        pipeline.start();
        long expected = 0;
        for (int i = 0; i < 100_000; i++) {
          ring.publish((cell, value) -> cell.value = value, i);
          expected += 2L * i + (long) i * i;
        }
        assertThat(pipeline.drain(Duration.ofSeconds(30))).isTrue();
        assertThat(sum.get()).isEqualTo(expected);
      }
    }
  }
}
