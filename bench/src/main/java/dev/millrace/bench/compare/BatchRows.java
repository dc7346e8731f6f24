package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Suite.BATCHES;
import static dev.millrace.bench.compare.Work.way;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Claims and drains from one record to a quarter of the queue. */
final class BatchRows {
  private static final List<Integer> LENGTHS = List.of(1, 4, 16, 64, 256, 1_024);

  static final List<Row> ROWS =
      Stream.concat(
              LENGTHS.stream().map(length -> row("spsc", 1, length).in(Sweep.BATCHES_SPSC)),
              LENGTHS.stream().map(length -> row("mpsc", 2, length).in(Sweep.BATCHES_MPSC)))
          .toList();

  private BatchRows() {}

  private static Row row(String kind, int producers, int length) {
    String title =
        String.format(Locale.ROOT, "%s, batches of %,d", kind.toUpperCase(Locale.ROOT), length);
    Work work = way("batches-" + kind + "-" + length, title, producers, 1).runs(length, length);
    return Row.of(BATCHES, work);
  }
}
