package dev.millrace.core.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import org.junit.jupiter.api.Test;

/**
 * Finds a producer that counts as stalled too early, after a single long pause of the consumer, or
 * never, and two sequences that the watch takes for one.
 */
class StallWatchTest {
  private static final long LIMIT_NANOS = 1_600_000;

  private static void pauseFor(long nanos) {
    for (long begin = System.nanoTime(); System.nanoTime() - begin < nanos; ) {
      Thread.onSpinWait();
    }
  }

  @Test
  void lookNanos_isASixteenthOfTheLimit() {
    assertThat(StallWatch.lookNanos(6_400_000)).isEqualTo(400_000);
    assertThat(StallWatch.lookNanos(1)).isPositive();
    assertThat(StallWatch.lookNanos(WaitStrategy.FOREVER)).isEqualTo(WaitStrategy.FOREVER);
  }

  @Test
  void hasStalled_whenLookedAtOften_isTrueOnceTheLimitHasPassed() {
    for (long sequence : new long[] {0, 1, 1L << 40, Long.MAX_VALUE - 1}) {
      StallWatch watch = new StallWatch(LIMIT_NANOS);
      long begin = System.nanoTime();
      int looks = 0;
      while (!watch.hasStalled(sequence)) {
        looks++;
      }
      assertThat(System.nanoTime() - begin).isGreaterThan(LIMIT_NANOS * 9 / 10);
      assertThat(looks).isGreaterThanOrEqualTo(16);
      assertThat(watch.hasStalled(sequence)).as("and stays so").isTrue();
    }
  }

  /** Each pause is longer than the limit. */
  @Test
  void hasStalled_whenLooksLieFarApart_takesSixteen() {
    StallWatch watch = new StallWatch(LIMIT_NANOS);
    for (int look = 0; look < 16; look++) {
      assertThat(watch.hasStalled(7)).as("look %d", look).isFalse();
      pauseFor(2 * LIMIT_NANOS);
    }
    assertThat(watch.hasStalled(7)).as("sixteen pauses, a sixteenth each").isTrue();
  }

  @Test
  void hasStalled_whenAnotherSequenceIsLookedAt_startsAnew() {
    StallWatch watch = new StallWatch(LIMIT_NANOS);
    for (int look = 0; look < 15; look++) {
      assertThat(watch.hasStalled(7)).isFalse();
      pauseFor(LIMIT_NANOS / 8);
    }
    for (int look = 0; look < 16; look++) {
      assertThat(watch.hasStalled(8)).as("look %d", look).isFalse();
      pauseFor(LIMIT_NANOS / 8);
    }
    assertThat(watch.hasStalled(8)).isTrue();
    assertThat(watch.hasStalled(7)).as("forgotten").isFalse();
  }

  /** A watch keeps 40 bits of a sequence. */
  @Test
  void hasStalled_whenTheFirstSequenceEverLookedAtHasAllBitsSet_takesSixteenLooks() {
    for (long sequence : new long[] {(1L << 40) - 1, Long.MAX_VALUE}) {
      StallWatch watch = new StallWatch(LIMIT_NANOS);
      for (int look = 0; look < 15; look++) {
        assertThat(watch.hasStalled(sequence)).as("look %d", look).isFalse();
      }
    }
  }
}
