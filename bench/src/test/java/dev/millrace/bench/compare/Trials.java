package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.Words;
import dev.millrace.bench.harness.Child;
import java.util.List;

/**
 * Every contender at every work that this JVM's records are for.
 *
 * @param staged whether also those with events of their own
 */
record Trials(boolean staged) implements Child.Job<Integer> {
  private static final long WARMUP_MILLIS = 5;
  private static final long MILLIS = 10; // all that is sent is counted, however short it is
  private static final int MOST_THREADS = 8; // more take long where there are two processors

  record Trial(Work work, Contenders contender) {
    /** Runs for a moment; all that is sent must come out. */
    void run() throws Exception {
      Measured measured = new Fork(work, contender, 1, 1, WARMUP_MILLIS, MILLIS, "").measure();
      assertThat(measured.times() != null).isEqualTo(work.shape().isTimed());
      if (work.shape().isTimed()) { // a million slots take longer to fill with objects than this
        assertThat(measured.isNothing()).isFalse();
      }
    }
  }

  List<Trial> all() {
    return Row.all().stream()
        .filter(row -> row.work().shape().isStaged() ? staged : row.work().words() == Words.COUNT)
        .filter(row -> row.work().threads() <= MOST_THREADS)
        .flatMap(row -> row.contenders().map(one -> new Trial(row.work(), one)))
        .filter(trial -> trial.contender() != Contenders.CPP)
        .toList();
  }

  /** Runs them all and tells how many. */
  @Override
  public Integer run() throws Exception {
    List<Trial> trials = all();
    for (Trial trial : trials) {
      trial.run();
    }
    return trials.size();
  }
}
