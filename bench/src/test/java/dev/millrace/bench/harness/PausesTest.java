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
