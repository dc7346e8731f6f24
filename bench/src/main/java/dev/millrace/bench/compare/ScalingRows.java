package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Contenders.MILLRACE_MPMC;
import static dev.millrace.bench.compare.Contenders.MILLRACE_MPSC;
import static dev.millrace.bench.compare.Contenders.MILLRACE_SHARDED;
import static dev.millrace.bench.compare.Suite.SCALING;
import static dev.millrace.bench.compare.Sweep.SCALING_MPMC;
import static dev.millrace.bench.compare.Sweep.SCALING_MPSC;
import static dev.millrace.bench.compare.Sweep.SCALING_SPMC;
import static dev.millrace.bench.compare.Work.way;

import java.util.ArrayList;
import java.util.List;

/**
 * From one thread a side on by powers of two. The table does not depend on the machine, so that
 * results from others can be read; how far it is run does: see {@link Row#isFor}.
 */
final class ScalingRows {
  private static final int MOST = 1_024;

  static final List<Row> ROWS = rows();

  private ScalingRows() {}

  private static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    rows.add(
        Row.of(SCALING, way("scaling-spsc", "1 producer, 1 consumer", 1, 1))
            .plus(MILLRACE_MPSC, MILLRACE_MPMC) // what generality costs
            .in(SCALING_MPSC, SCALING_SPMC, SCALING_MPMC));
    for (int n = 2; n <= MOST; n *= 2) {
      rows.add(row("scaling-mpsc-" + n, n, 1).in(SCALING_MPSC));
    }
    for (int n = 2; n <= MOST; n *= 2) {
      rows.add(row("scaling-spmc-" + n, 1, n).in(SCALING_SPMC));
    }
    for (int n = 2; n <= MOST; n *= 2) {
      rows.add(row("scaling-mpmc-" + n, n, n).plus(MILLRACE_SHARDED).in(SCALING_MPMC));
    }
    return List.copyOf(rows);
  }

  private static Row row(String id, int producers, int consumers) {
    String title = count(producers, "producer") + ", " + count(consumers, "consumer");
    return Row.of(SCALING, way(id, title, producers, consumers));
  }

  private static String count(int count, String what) {
    return count == 1 ? "1 " + what : count + " " + what + "s";
  }
}
