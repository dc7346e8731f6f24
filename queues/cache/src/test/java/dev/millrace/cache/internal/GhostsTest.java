package dev.millrace.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Finds a key that is forgotten too early, or that is remembered again when the ages come round.
 */
class GhostsTest {
  /** Of those that were evicted last, a few had to give their place to later ones. */
  @ParameterizedTest
  @CsvSource({"10, 10", "1000, 1000", "50000, 50000", "50000, 5000", "50000, 0"})
  void remove_findsTheLastOnesOnce(int room, int most) {
    Ghosts ghosts = ghosts(room);
    int all = 5 * room;
    for (int i = 0; i < all; i++) {
      ghosts.add(Hash.spread(i));
    }
    int step = room / 11 + 1; // ages are counted in these
    assertThat(count(ghosts, 0, all - most - step, most)).isLessThan(2 + room / 40);
    assertThat((double) count(ghosts, all - most, all, most))
        .isCloseTo(most, within(1 + most / 20.0 + Math.min(most, step) / 2.0));
    assertThat(count(ghosts, 0, all, most)).as("again").isLessThan(2 + room / 40);
  }

  /** Ages come round: what was forgotten is not remembered again. */
  @Test
  void remove_longAfterwards_findsNothing() {
    for (int later = 0; later < 400; later++) {
      Ghosts ghosts = ghosts(100);
      ghosts.add(Hash.spread(-1));
      for (int i = 0; i < 100 + later; i++) {
        ghosts.add(Hash.spread(i));
      }
      assertThat(ghosts.remove(Hash.spread(-1), 90)).as(later + " later").isFalse();
    }
  }

  @Test
  void remove_ofOthers_findsFew() {
    Ghosts ghosts = ghosts(50_000);
    for (int i = 0; i < 200_000; i++) {
      ghosts.add(Hash.spread(i));
    }
    assertThat(count(ghosts, 200_000, 1_200_000, 50_000)).isBetween(500, 3_000);
  }

  /** With as many places for each as a cache has. */
  private static Ghosts ghosts(int most) {
    return new Ghosts(most, 2 + most * 14L / 80);
  }

  private static int count(Ghosts ghosts, int from, int to, int most) {
    int count = 0;
    for (int i = from; i < to; i++) {
      count += ghosts.remove(Hash.spread(i), most) ? 1 : 0;
    }
    return count;
  }
}
