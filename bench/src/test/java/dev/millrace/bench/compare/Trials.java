package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.Words;
import dev.millrace.bench.compare.Work.Shape;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Every contender at every work that this JVM's records are for; also as a program. */
final class Trials {
  private static final long MILLI = 1_000_000;
  private static final int MOST_THREADS = 8; // more take long where there are two processors

  private Trials() {}

  record Trial(Work work, Contenders contender) {
    /** Runs for a moment; all that is sent must come out. */
    void run() throws Exception {
      try (Contender queue = contender.make(work);
          Contender back = contender.make(work)) {
        if (work.shape() == Shape.THROUGHPUT) {
          new Traffic(work, queue, 1).run(10 * MILLI, 30 * MILLI);
        } else {
          Histogram trips = new RoundTrip(queue, back, 1).run(10 * MILLI, 30 * MILLI);
          assertThat(trips.getTotalCount()).isPositive();
        }
      }
    }
  }

  static List<Trial> all() {
    return Row.all().stream()
        .filter(row -> row.work().words() == Words.COUNT)
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
