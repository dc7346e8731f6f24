package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.Snapshot.StageSnapshot;
import dev.millrace.disruptor.TestRing.Event;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a full ring that drops the wrong events: newer ones than it has to, more than half of the
 * ring, or some for later stages only.
 */
class BackPressureTest extends PipelineFixture {
  private static final int CAPACITY = 16;

  private static List<Long> values(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  // ---- DROP_NEWEST; what a claim does otherwise is the sequencer's ----

  @Test
  void dropNewest_losesWhatComesNow() throws Exception {
    start(on(kind.options(CAPACITY).withOnFull(OnFull.DROP_NEWEST)).stage("a").handledBy(held));
    ring.publishAll(0, CAPACITY);
    held.awaitReached();
    assertThat(ring.publish(99)).isFalse();
    assertThat(snapshot().producers().dropped()).isOne();
    held.letGo();
    drain();
    assertThat(held.values()).isEqualTo(values(0, CAPACITY));
  }

  // ---- DROP_OLDEST ----

  private PipelineBuilder<Event> skipping() {
    assumeThat(kind.hasManyProducers()).isTrue();
    return on(
        kind.options(64).withOnFull(OnFull.DROP_OLDEST).withProducerWaits(WaitStrategy.parking()));
  }

  @ParameterizedTest
  @ValueSource(
      ints = {1, 3, 4, 64, 1_000_000}) // the last: batches of the whole ring, if it let them
  void skipOldest_afterAHold_passesOverTheOldestOnly(int maxBatch) throws Exception {
    int capacity = 64;
    CountingHandler behind = new CountingHandler(capacity);
    PipelineBuilder<Event> builder = skipping().stage("first").handledBy(held).maxBatch(maxBatch);
    start(builder.stage("behind").after("first").handledBy(behind));
    ring.publish(0);
    held.awaitReached();
    ring.publishAll(1, capacity);
    assertThat(ring.tryPublish(99)).isFalse();
    held.letGo();
    drain();

    List<Long> seen = held.values();
    StageSnapshot first = snapshot().stages().getFirst();
    assertThat(first.skipped()).isPositive();
    assertThat(first.processed() + first.skipped()).isEqualTo(capacity);
    assertThat(first.processed()).isEqualTo(seen.size());
    // the one in hand, then the newest: half of the ring, or less by a batch
    assertThat(seen.getFirst()).isZero();
    long oldest = capacity - seen.size() + 1L;
    assertThat(seen.subList(1, seen.size())).isEqualTo(values(oldest, capacity));
    assertThat(oldest - 1).isBetween(capacity / 2L - 1, capacity * 3L / 4);
    assertThat(behind.handled()).isEqualTo(seen.size());
    for (long value : seen) {
      assertThat(behind.times()[(int) value]).isOne();
    }
    assertThat(snapshot().stages().getLast().skipped()).isZero();
    assertThat(pipeline.toString()).contains(", skipped " + first.skipped());
  }

  @Test
  void skipOldest_whenItKeepsUp_skipsNone() throws Exception {
    held.letGo();
    run(48, skipping().stage("first").handledBy(held)); // three quarters
    assertThat(held.values()).isEqualTo(values(0, 48));
    assertThat(snapshot().stages().getFirst().skipped()).isZero();
  }
}
