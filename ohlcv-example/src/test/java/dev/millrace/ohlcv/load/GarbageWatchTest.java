package dev.millrace.ohlcv.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class GarbageWatchTest {
  @Test
  void between_whenOneIsProvoked_seesItsPause() throws Exception {
    try (GarbageWatch watch = new GarbageWatch()) {
      Instant begin = Instant.now();
      System.gc();
      Instant end = Instant.now();
      GarbageWatch.Garbage garbage = watch.between(begin, end);
      assertThat(garbage.collections()).isPositive();
      assertThat(garbage.pauses()).isPositive();
      assertThat(garbage.maxNanos()).isPositive().isLessThanOrEqualTo(garbage.totalNanos());
      assertThat(garbage.totalNanos()).isLessThanOrEqualTo(garbage.watchedNanos());
    }
  }

  @Test
  void between_momentsWithoutOne_seesNone() throws Exception {
    try (GarbageWatch watch = new GarbageWatch()) {
      System.gc();
      Instant moment = Instant.now();
      GarbageWatch.Garbage garbage = watch.between(moment, moment.plusNanos(1));
      assertThat(garbage).isEqualTo(new GarbageWatch.Garbage(0, 0, 0, 0, 1));
    }
  }

  /** The article has 15.4 % for what is 1.54 %. */
  @Test
  void share_isPausesByTime() {
    GarbageWatch.Garbage garbage =
        new GarbageWatch.Garbage(1, 1, 924_000_000, 924_000_000, 60_000_000_000L);
    assertThat(100 * garbage.share()).isCloseTo(1.54, within(1e-9));
  }
}
