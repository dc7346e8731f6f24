package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Contenders.AGRONA_MANY_TO_MANY;
import static dev.millrace.bench.compare.Contenders.JCTOOLS_MPMC;
import static dev.millrace.bench.compare.Contenders.MILLRACE_KFIFO_1;
import static dev.millrace.bench.compare.Contenders.MILLRACE_KFIFO_16;
import static dev.millrace.bench.compare.Contenders.MILLRACE_KFIFO_4;
import static dev.millrace.bench.compare.Contenders.MILLRACE_KFIFO_64;
import static dev.millrace.bench.compare.Contenders.MILLRACE_MPMC;
import static dev.millrace.bench.compare.Suite.KFIFO;
import static dev.millrace.bench.compare.Work.way;

import java.util.List;
import java.util.stream.Stream;

/**
 * What relaxed order is good for, or what it costs: the same queues from one thread a side on, also
 * where others would take a simpler one.
 */
final class KFifoRows {
  static final List<Row> ROWS = Stream.of(1, 2, 4, 8).map(KFifoRows::row).toList();

  private KFifoRows() {}

  private static Row row(int side) {
    Work work = way("kfifo-" + side, "k-FIFO, one record at a time, " + sides(side), side, side);
    return Row.of(KFIFO, work)
        .ours(MILLRACE_KFIFO_16)
        .beside(
            MILLRACE_MPMC,
            JCTOOLS_MPMC,
            AGRONA_MANY_TO_MANY,
            MILLRACE_KFIFO_1,
            MILLRACE_KFIFO_4,
            MILLRACE_KFIFO_64)
        .in(Sweep.KFIFO);
  }

  private static String sides(int side) {
    return side + " and " + side;
  }
}
