package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Finds a footprint that leaves out a buffer, or counts what all queues share. What each figure
 * must be follows from the layouts.
 */
class FootprintTest {
  private static final int RECORD_BYTES = 24;

  @Test
  void all_areWhatTheLayoutsSay() throws Exception {
    List<Footprint> all = Footprint.all();
    assertThat(all).hasSize(Footprint.CONTENDERS.size() * Footprint.CAPACITIES.size());
    long first = of(all, Contenders.MILLRACE, Footprint.CAPACITIES.getFirst()).fullBytes();
    for (int capacity : Footprint.CAPACITIES) {
      Footprint ours = of(all, Contenders.MILLRACE, capacity);
      assertThat(ours.emptyBytes()).isPositive().isEqualTo(ours.fullBytes()).isEqualTo(first);
      assertThat(ours.fullBytes()).isLessThan(8_192);
      assertThat(ours.offHeapBytes()).isGreaterThanOrEqualTo((long) capacity * RECORD_BYTES);
      Footprint agrona = of(all, Contenders.AGRONA, capacity);
      assertThat(agrona.fullBytes()).isBetween(200L, 1_024L); // with the direct buffer's object
      assertThat(agrona.offHeapBytes()).isGreaterThanOrEqualTo((long) capacity * RECORD_BYTES);
      Footprint fresh = of(all, Contenders.JCTOOLS_NEW, capacity);
      assertThat(fresh.emptyBytes()).isBetween(4L * capacity, 8L * capacity + 4_096);
      assertThat(fresh.fullBytes() - fresh.emptyBytes())
          .isGreaterThanOrEqualTo((long) capacity * RECORD_BYTES);
      Footprint inTurn = of(all, Contenders.JCTOOLS, capacity);
      assertThat(inTurn.emptyBytes()).isEqualTo(inTurn.fullBytes());
      assertThat(inTurn.emptyBytes()).isGreaterThan(2L * capacity * RECORD_BYTES);
    }
  }

  private static Footprint of(List<Footprint> all, Contenders contender, int capacity) {
    return all.stream()
        .filter(one -> one.contender().equals(contender.id()) && one.capacity() == capacity)
        .findFirst()
        .orElseThrow();
  }
}
