package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Suite.SIZES;
import static dev.millrace.bench.compare.Sweep.SIZES_MPSC;
import static dev.millrace.bench.compare.Sweep.SIZES_SPSC;
import static dev.millrace.bench.compare.Work.way;

import java.util.List;
import java.util.stream.Stream;

/** Records of several sizes, all of whose fields are written and read. */
final class SizeRows {
  private static final List<Integer> SIZES_BYTES = List.of(8, 16, 24, 64, 128, 256, 512, 1_024);

  static final List<Row> ROWS =
      Stream.concat(
              SIZES_BYTES.stream().map(SizeRows::spsc), SIZES_BYTES.stream().map(SizeRows::mpsc))
          .toList();

  private SizeRows() {}

  private static Row spsc(int bytes) {
    return row(way("sizes-spsc-" + bytes, "SPSC, records of " + bytes + " bytes", 1, 1), bytes)
        .in(SIZES_SPSC);
  }

  private static Row mpsc(int bytes) {
    String title = "MPSC, 2 producers, records of " + bytes + " bytes";
    return row(way("sizes-mpsc-" + bytes, title, 2, 1), bytes).in(SIZES_MPSC);
  }

  private static Row row(Work work, int bytes) {
    return Row.of(SIZES, work.withWords(bytes / Long.BYTES));
  }
}
