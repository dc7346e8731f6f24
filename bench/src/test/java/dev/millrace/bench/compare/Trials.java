package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.Words;
import java.util.List;

/** Every contender at every work that this JVM's records are for; also as a program. */
final class Trials {
  private static final long WARMUP_MILLIS = 5;
  private static final long MILLIS = 10; // all that is sent is counted, however short it is
  private static final int MOST_THREADS = 8; // more take long where there are two processors

  private Trials() {}

  record Trial(Work work, Contenders contender) {
    /** Runs for a moment; all that is sent must come out. */
    void run() throws Exception {
      Measured measured = new Fork(work, contender, 1, WARMUP_MILLIS, MILLIS).measure();
      assertThat(measured.times() != null).isEqualTo(work.shape().isTimed());
      if (work.shape().isTimed()) { // a million slots take longer to fill with objects than this
        assertThat(measured.isNothing()).isFalse();
      }
    }
  }

  static List<Trial> all() {
    return Row.all().stream()
        .filter(row -> row.work().words() == Words.COUNT)
        .filter(row -> !row.work().shape().isStaged()) // their events are their own
        .filter(row -> row.work().threads() <= MOST_THREADS)
        .flatMap(
            row ->
                row.contenders()
                    .filter(contender -> contender != Contenders.CPP)
                    .map(contender -> new Trial(row.work(), contender)))
        .toList();
  }

  /**
   * Runs them all and tells how many.
   *
   * @param args none
   * @throws Exception if one fails
   */
  public static void main(String[] args) throws Exception {
    List<Trial> trials = all();
    for (Trial trial : trials) {
      trial.run();
    }
    System.out.println(trials.size());
    System.exit(0); // threads of contenders may be left
  }
}
