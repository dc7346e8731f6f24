package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Contenders.MILLRACE_WAITS;
import static dev.millrace.bench.compare.Contenders.MILLRACE_WAITS_PARKING;
import static dev.millrace.bench.compare.Contenders.MILLRACE_WAITS_SLEEPING;
import static dev.millrace.bench.compare.Contenders.MILLRACE_WAITS_SPINNING;
import static dev.millrace.bench.compare.Contenders.MILLRACE_WAITS_YIELDING;

import dev.millrace.bench.compare.Work.Shape;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** How fast a consumer reacts by each wait strategy, and what that costs. */
final class WaitRows {
  static final List<Row> ROWS =
      IntStream.of(1_000, 20_000, 200_000).mapToObj(WaitRows::atRate).toList();

  private WaitRows() {}

  private static Row atRate(int perSecond) {
    String title =
        String.format(Locale.ROOT, "a waiting consumer, %,d records a second", perSecond);
    Work work =
        Work.way("waits-" + perSecond, title, 1, 1).withShape(Shape.WAITING).withRate(perSecond);
    return Row.of(Suite.WAITS, work)
        .ours(MILLRACE_WAITS)
        .beside(
            MILLRACE_WAITS_SPINNING,
            MILLRACE_WAITS_YIELDING,
            MILLRACE_WAITS_SLEEPING,
            MILLRACE_WAITS_PARKING);
  }
}
