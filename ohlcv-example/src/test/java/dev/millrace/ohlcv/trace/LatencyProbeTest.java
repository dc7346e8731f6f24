package dev.millrace.ohlcv.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LatencyProbeTest {
  private static final int ROOM = 1_024 * LatencyProbe.EVERY; // numbers until a slot is due again

  private final LatencyProbe probe = new LatencyProbe();

  @Test
  void placed_ofOneInMany_tellsHowLongAgo() {
    int timed = 0;
    for (int number = 1; number <= 10 * LatencyProbe.EVERY; number++) {
      probe.feeding(number);
      long nanos = probe.placed(number);
      timed += nanos == LatencyProbe.NONE ? 0 : 1;
      assertThat(nanos).isGreaterThanOrEqualTo(LatencyProbe.NONE);
    }
    assertThat(timed).isEqualTo(10);
    assertThat(probe.placed(LatencyProbe.EVERY)).as("again").isEqualTo(LatencyProbe.NONE);
  }

  @Test
  void feeding_whereTheSlotIsTaken_leavesTheNewOneOut() {
    long early = LatencyProbe.EVERY;
    probe.feeding(early);
    probe.feeding(early + ROOM);
    assertThat(probe.placed(early + ROOM)).isEqualTo(LatencyProbe.NONE);
    assertThat(probe.placed(early)).isPositive();
    probe.feeding(early + 2 * ROOM);
    assertThat(probe.placed(early + 2 * ROOM)).isPositive();
  }

  /** A time that was not that of its number would be from a lap before, or from none. */
  @Test
  void placed_byOtherThreads_isNeverLongerThanItTook() throws Exception {
    int count = 20 * ROOM;
    long began = System.nanoTime();
    BlockingQueue<Integer> even = new ArrayBlockingQueue<>(1_024);
    BlockingQueue<Integer> odd = new ArrayBlockingQueue<>(1_024);
    CompletableFuture<Integer> evens = CompletableFuture.supplyAsync(() -> placeAll(even, began));
    CompletableFuture<Integer> odds = CompletableFuture.supplyAsync(() -> placeAll(odd, began));
    for (int number = LatencyProbe.EVERY; number <= count; number += LatencyProbe.EVERY) {
      probe.feeding(number);
      (number / LatencyProbe.EVERY % 2 == 0 ? even : odd).put(number);
    }
    even.put(0);
    odd.put(0);
    assertThat(evens.get() + odds.get()).isBetween(count / LatencyProbe.EVERY / 2, count);
  }

  private int placeAll(BlockingQueue<Integer> queue, long began) {
    int timed = 0;
    try {
      for (int number; (number = queue.take()) != 0; ) {
        long nanos = probe.placed(number);
        if (nanos != LatencyProbe.NONE) {
          assertThat(nanos).isBetween(0L, System.nanoTime() - began);
          timed++;
        }
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return timed;
  }
}
