package dev.millrace.bench.compare;

import static dev.millrace.bench.harness.Table.format;

import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.bench.harness.Samples;
import dev.millrace.bench.harness.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** The tables of a work in a {@link Report}. */
final class WorkTables {
  /** What part of a rate may be missing. */
  private static final double TOLERANCE = 0.01;

  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99, 100};
  private static final String NOT_COUNTED = "not counted";

  private WorkTables() {}

  /** What each group of samples reached, and the times if they were taken. */
  static List<Table> ofGroups(Row row, List<Group> groups) {
    return row.work().shape().isTimed()
        ? List.of(figures(row, groups), times(row, groups))
        : List.of(figures(row, groups));
  }

  /** Ours against each peer. */
  static Table ratios(Placement placement, List<Comparison> lines) {
    boolean isTimed = lines.getFirst().row().work().shape().isTimed();
    String caption = placement.text() + " cores, against";
    return Table.of(
        caption,
        caption
            + ";#ratio;#95 %;#target;;"
            + (isTimed ? "#ours, p50 / p99 / p99.9" : "#ours")
            + ";#theirs;#bytes per record;#samples",
        lines.stream()
            .map(
                one ->
                    List.of(
                        one.label(),
                        one.ratioText(),
                        one.interval(),
                        one.targetText(),
                        one.verdict().text(),
                        speed(one.ours().samples()),
                        speed(one.theirs().samples()),
                        isTimed ? NOT_COUNTED : bytes(one.ours().samples(), one.bytesPerRecord()),
                        one.ours().samples().size() + " / " + one.theirs().samples().size()))
            .toList());
  }

  /** What each contender reached: medians of its samples. */
  private static Table figures(Row row, List<Group> groups) {
    boolean isTimed = row.work().shape().isTimed();
    List<List<String>> rows = new ArrayList<>();
    for (Group group : groups) {
      List<Sample> samples = group.samples();
      boolean isCounted = !isTimed && group.contender() != Contenders.CPP;
      rows.add(
          List.of(
              group.label(),
              group.placement().text(),
              speed(samples),
              isCounted ? bytes(samples, median(samples, Measured::bytesPerRecord)) : NOT_COUNTED,
              isCounted
                  ? small(median(samples, Measured::failedSends))
                      + " / "
                      + small(median(samples, Measured::failedReceives))
                  : NOT_COUNTED,
              Integer.toString(samples.size())));
    }
    return Table.of(
        "What each reached",
        "Contender;Cores;"
            + (isTimed ? "#p50 / p99 / p99.9" : "#Speed")
            + ";#Bytes per record;#Attempts in vain, to send / to receive;#Samples",
        rows);
  }

  /** All times, and whether a rate was kept. */
  private static Table times(Row row, List<Group> groups) {
    double wanted = row.work().perSecond();
    List<List<String>> rows = new ArrayList<>();
    for (Group group : groups) {
      List<Sample> samples = group.samples();
      long missed =
          samples.stream()
              .filter(one -> one.measured().perSecond() < wanted * (1 - TOLERANCE))
              .count();
      List<String> cells = new ArrayList<>(List.of(group.label(), group.placement().text()));
      DoubleStream.of(PERCENTILES)
          .mapToObj(one -> whole(group.times().getValueAtPercentile(one)))
          .forEach(cells::add);
      cells.add(
          wanted == 0
              ? "–"
              : missed == 0 ? "kept" : "missed by %d of %d".formatted(missed, samples.size()));
      cells.add(format("%.1f", median(samples, one -> (double) one.collections())));
      rows.add(cells);
    }
    return Table.of(
        "Times in nanoseconds: all samples of a contender as one",
        "Contender;Cores;#p50;#p90;#p99;#p99.9;#p99.99;#max;"
            + (wanted == 0 ? "Rate" : "Rate of " + whole(wanted))
            + ";#Collections",
        rows);
  }

  static Table footprints(List<Footprint> footprints) {
    return Table.of(
        "Bytes that a queue takes from one producer to one consumer, of records of 24 bytes, with"
            + " both its ends and the objects that are used in turn",
        "Contender;#Capacity;#Heap, empty;#Heap, full;#Off the heap;#A slot",
        footprints.stream()
            .map(
                one ->
                    List.of(
                        Contenders.of(one.contender()).title(),
                        whole(one.capacity()),
                        whole(one.emptyBytes()),
                        whole(one.fullBytes()),
                        whole(one.offHeapBytes()),
                        small((double) (one.fullBytes() + one.offHeapBytes()) / one.capacity())))
            .toList());
  }

  // ---- amounts ----

  private static String whole(double amount) {
    return whole(Math.round(amount));
  }

  private static String whole(long amount) {
    return format("%,d", amount);
  }

  /** What is often nothing, which is not the same as almost nothing. */
  private static String small(double amount) {
    if (amount == 0) {
      return "0";
    }
    return Math.abs(amount) < 0.005 ? "<0.01" : format(amount < 99.5 ? "%.2f" : "%,.0f", amount);
  }

  /** Records a second, or percentiles of times; and what else was counted. */
  private static String speed(List<Sample> samples) {
    double millions = median(samples, Measured::perSecond) / 1e6;
    String speed =
        median(samples, Measured::p50) == 0
            ? format(millions < 10 ? "%.2f M/s" : "%,.1f M/s", millions)
            : Stream.<ToDoubleFunction<Measured>>of(Measured::p50, Measured::p99, Measured::p999)
                .map(figure -> whole(median(samples, figure)))
                .collect(Collectors.joining(" / ", "", " ns"));
    double cpu = median(samples, Measured::cpuNanos);
    double paused = median(samples, Measured::pausedMillis);
    return speed
        + (cpu == 0 ? "" : ", " + whole(cpu) + " ns of processors")
        + (paused == 0 ? "" : ", paused " + small(paused) + " ms a second");
  }

  /** Bytes per record; of those an offer's own, the most, where they were counted apart. */
  private static String bytes(List<Sample> samples, double perRecord) {
    return samples.stream()
        .map(sample -> sample.measured().bytesPerOffer())
        .filter(Objects::nonNull)
        .max(Comparator.naturalOrder())
        .map(most -> small(perRecord) + ", by offer " + small(most))
        .orElse(small(perRecord));
  }

  private static double median(List<Sample> samples, ToDoubleFunction<Measured> figure) {
    return Samples.median(samples.stream().map(Sample::measured).mapToDouble(figure).toArray());
  }
}
