package dev.millrace.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.harness.Pauses.Pause;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Finds a pause of the collector that the recording misses, and one that it still counts although
 * it came before the restart.
 */
class PausesTest {
  @SuppressWarnings("unused") // so that it is made
  private volatile byte[] garbage;

  @Test
  void all_afterACollection_haveItsPause() throws Exception {
    try (Pauses recording = new Pauses()) {
      long collections = Jvm.collections();
      System.gc();
      assertThat(Jvm.collections()).isGreaterThan(collections);
      double millis = recording.stop();
      List<Pause> pauses = recording.all();
      assertThat(pauses).isNotEmpty();
      double longest = Pauses.longestMillis(pauses);
      assertThat(longest).isPositive().isLessThanOrEqualTo(Pauses.totalMillis(pauses));
      assertThat(Pauses.totalMillis(pauses)).isLessThanOrEqualTo(millis);
    }
  }

  /** A full collection is one of the old generation. */
  @Test
  void all_ofYoungAndFullCollections_keepThemApart() throws Exception {
    try (Pauses recording = new Pauses()) {
      for (int i = 0; i < 1 << 14; i++) { // a gigabyte, which is more than any young generation
        garbage = new byte[1 << 16];
      }
      System.gc();
      recording.stop();
      List<Pause> pauses = recording.all();
      for (boolean old : new boolean[] {false, true}) {
        List<Pause> some = Pauses.ofOld(pauses, old);
        assertThat(Pauses.collections(some)).as("old: " + old).isPositive();
        assertThat(Pauses.meanMillis(some)).isBetween(0.0, Pauses.longestMillis(some));
      }
      assertThat(Pauses.meanMillis(List.of())).isZero();
    }
  }

  @Test
  void all_afterRestart_leaveOutWhatWasBefore() throws Exception {
    try (Pauses recording = new Pauses()) {
      System.gc();
      recording.restart();
      recording.stop();
      assertThat(recording.all()).isEmpty();
      assertThat(Pauses.longestMillis(List.of())).isZero();
    }
  }
}
