package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Contenders.CPP;
import static dev.millrace.bench.compare.Suite.CAPACITIES;
import static dev.millrace.bench.compare.Sweep.CAPACITIES_BATCH;
import static dev.millrace.bench.compare.Sweep.CAPACITIES_SINGLE;
import static dev.millrace.bench.compare.Work.way;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Queues from a page's worth of records to more than a cache holds. */
final class CapacityRows {
  private static final List<Integer> SLOTS = List.of(64, 1_024, 4_096, 65_536, 1_048_576);

  static final List<Row> ROWS =
      Stream.concat(
              SLOTS.stream().map(CapacityRows::single), SLOTS.stream().map(CapacityRows::batch))
          .toList();

  private CapacityRows() {}

  private static Row single(int slots) {
    Work work = way("capacities-single-" + slots, title("one record at a time", slots), 1, 1);
    return Row.of(CAPACITIES, work.withCapacity(slots)).in(CAPACITIES_SINGLE);
  }

  private static Row batch(int slots) {
    Work work = way("capacities-batch-" + slots, title("batches of 64", slots), 1, 1);
    return Row.of(CAPACITIES, work.runs(64, 64).withCapacity(slots)).plus(CPP).in(CAPACITIES_BATCH);
  }

  private static String title(String what, int slots) {
    return String.format(Locale.ROOT, "SPSC, %s, %,d slots", what, slots);
  }
}
