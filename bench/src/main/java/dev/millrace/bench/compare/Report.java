package dev.millrace.bench.compare;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.millrace.bench.compare.Charts.Chart;
import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.bench.harness.Table;
import dev.millrace.report.Numbers;
import dev.millrace.report.Page;
import dev.millrace.report.Samples;
import dev.millrace.report.Tone;
import freemarker.core.HTMLOutputFormat;
import freemarker.template.TemplateModelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;

/**
 * What runs have shown: a page, tables for a document, and the ratios for programs. The samples of
 * several runs are pooled.
 */
final class Report {
  /** What part of a rate may be missing. */
  private static final double TOLERANCE = 0.01;

  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99, 100};
  private static final String NOT_COUNTED = "not counted";

  private final List<Results> runs;
  private final Results all;
  private final List<Comparison> comparisons;

  /**
   * A work.
   *
   * @param details what is done, in numbers
   * @param notes what else is to be known: targets not measured, samples that do not count
   * @param ratios a table for each placement
   * @param others further tables
   */
  public record Section(
      String id,
      String title,
      String details,
      List<String> notes,
      List<Chart> charts,
      List<Table> ratios,
      List<Table> others) {}

  /** Works that belong together. */
  public record Part(String id, String title, List<Chart> charts, List<Section> sections) {}

  /** Of runs that may be pooled. */
  Report(List<Results> runs) {
    this.runs = List.copyOf(runs);
    this.all = Pooled.of(runs);
    this.comparisons = Comparison.of(all);
  }

  /** All ratios. */
  List<Comparison> comparisons() {
    return comparisons;
  }

  /** Writes all; returns the page. */
  Path write(Path directory) throws IOException {
    Files.createDirectories(directory);
    List<Part> parts = parts();
    Files.writeString(directory.resolve("ratios.md"), markdown(parts));
    writeCsv(directory.resolve("ratios.csv"));
    Path page = directory.resolve("index.html");
    List<Chart> charts = new ArrayList<>();
    parts.forEach(
        part -> {
          charts.addAll(part.charts());
          part.sections().forEach(section -> charts.addAll(section.charts()));
        });
    Page.write(
        Report.class,
        "report.ftlh",
        Map.of(
            "overview", overview(),
            "losses", losses(),
            "parts", parts,
            "footprints", footprints(),
            "origin", origin(),
            "commands", runs.stream().map(Results::command).toList(),
            "library", asIs(charts.isEmpty() ? "" : Charts.library()),
            "chartData", asIs(Charts.json(charts))),
        page);
    return page;
  }

  /** Text that is HTML already, or goes where HTML is not read. */
  private static Object asIs(String text) throws IOException {
    try {
      return HTMLOutputFormat.INSTANCE.fromMarkup(text);
    } catch (TemplateModelException e) {
      throw new IOException(e);
    }
  }

  // ---- the overview ----

  /** How the targets of each work stand. */
  Table overview() {
    List<List<String>> rows = new ArrayList<>();
    for (Row row : Suite.TARGETS.rows()) {
      rows.add(List.of(title(row), targets(row, Placement.NEAR), targets(row, Placement.FAR)));
    }
    return new Table(
        "Targets by work, and where the cores were: near below %.0f ns of round trip"
            .formatted(Probe.NEAR_NANOS),
        List.of("Work", "Near", "Far"),
        rows);
  }

  private String targets(Row row, Placement placement) {
    List<Comparison> aimed =
        of(row, placement).stream().filter(one -> one.target().isPresent()).toList();
    long met = aimed.stream().filter(one -> one.verdict().tone() == Tone.CLEAR).count();
    long wanted =
        all.peers(row).stream().filter(peer -> row.targetAgainst(peer) != 0).count()
            * row.work().shape().measures().size()
            * all.idles(row).size();
    List<String> counts = new ArrayList<>();
    counts.add(met == 0 ? "" : met + " met");
    counts.add(aimed.size() == met ? "" : aimed.size() - met + " missed");
    counts.add(wanted <= aimed.size() ? "" : wanted - aimed.size() + " not measured");
    String text = counts.stream().filter(one -> !one.isEmpty()).collect(Collectors.joining(", "));
    return text.isEmpty() ? "–" : text;
  }

  /** The ratios that miss their targets, or are below 1. */
  List<String> losses() {
    return comparisons.stream()
        .filter(one -> one.row().suite() == Suite.TARGETS && one.verdict().tone() == Tone.BAD)
        .map(
            one ->
                "%s: %s against %s, %s: %s (%s), target %s"
                    .formatted(
                        one.row().work().title(),
                        one.verdict().text(),
                        one.label(),
                        one.placement().text(),
                        ratio(one),
                        one.interval(),
                        one.targetText()))
        .toList();
  }

  // ---- the works ----

  private List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    for (Suite suite : Suite.values()) {
      List<Section> sections =
          suite.rows().stream().filter(this::wasRun).map(this::section).toList();
      if (!sections.isEmpty()) {
        List<Chart> charts =
            Arrays.stream(Sweep.values())
                .filter(
                    sweep -> suite.rows().stream().anyMatch(row -> row.sweeps().contains(sweep)))
                .flatMap(sweep -> Charts.of(sweep, all).stream())
                .toList();
        parts.add(new Part(suite.command(), suite.title(), charts, sections));
      }
    }
    return parts;
  }

  private boolean wasRun(Row row) {
    return all.samples().stream().anyMatch(sample -> sample.work().equals(row.work().id()));
  }

  private List<Comparison> of(Row row, Placement placement) {
    return comparisons.stream()
        .filter(one -> one.row().equals(row) && one.placement() == placement)
        .toList();
  }

  private String title(Row row) {
    boolean isCrowded = row.work().isOversubscribed(all.machine().processors());
    return row.work().title() + (isCrowded ? " (oversubscribed)" : "");
  }

  private Section section(Row row) {
    List<Table> ratios = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    for (Placement placement : Placement.COMPARED) {
      List<Comparison> lines = of(row, placement);
      if (lines.isEmpty()) {
        notes.add("No ratio of " + placement.text() + " cores was had.");
      } else {
        ratios.add(ratios(placement, lines));
      }
    }
    row.contenders().map(contender -> discarded(row, contender)).forEach(notes::addAll);
    List<Table> others = new ArrayList<>(List.of(figures(row)));
    if (row.work().shape().isTimed()) {
      others.add(times(row));
    }
    return new Section(
        row.work().id(),
        title(row),
        row.work().details(),
        notes,
        Charts.ofTimes(row, all),
        ratios,
        others);
  }

  /** Why samples of a contender do not count. */
  private List<String> discarded(Row row, Contenders contender) {
    List<Sample> its =
        all.samples().stream().filter(sample -> sample.isOf(row, contender)).toList();
    List<String> failures = its.stream().map(Sample::failure).filter(Objects::nonNull).toList();
    long moved =
        its.stream()
            .filter(one -> one.failure() == null && one.placement() == Placement.MOVED)
            .count();
    List<String> notes = new ArrayList<>();
    if (moved > 0) {
      notes.add("%s: %d do not count, the cores moved".formatted(contender.title(), moved));
    }
    if (!failures.isEmpty()) {
      String first = failures.getFirst().lines().findFirst().orElse("no message");
      notes.add("%s: %d failed: %s".formatted(contender.title(), failures.size(), first));
    }
    return notes;
  }

  private static Table ratios(Placement placement, List<Comparison> lines) {
    boolean isTimed = lines.getFirst().row().work().shape().isTimed();
    return new Table(
        placement.text() + " cores, against",
        List.of(
            placement.text() + " cores, against",
            "#ratio",
            "#95 %",
            "#target",
            "",
            isTimed ? "#ours, p50 / p99 / p99.9" : "#ours",
            "#theirs",
            "#bytes per record",
            "#samples"),
        lines.stream()
            .map(
                one ->
                    List.of(
                        one.label(),
                        ratio(one),
                        one.interval(),
                        one.targetText(),
                        one.verdict().text(),
                        speed(one.ours()),
                        speed(one.theirs()),
                        isTimed ? NOT_COUNTED : bytes(one.ours(), one.bytesPerRecord()),
                        one.ours().size() + " / " + one.theirs().size()))
            .toList());
  }

  /** What each contender reached: medians of its samples. */
  private Table figures(Row row) {
    boolean isTimed = row.work().shape().isTimed();
    List<List<String>> rows = new ArrayList<>();
    forEachGroup(
        row,
        (contender, placement, idle, samples) -> {
          boolean isCounted = !isTimed && contender != Contenders.CPP;
          double bytes = median(samples, Measured::bytesPerRecord);
          rows.add(
              List.of(
                  contender.title() + (idle == Work.USUAL_IDLE ? "" : ", idle " + idle),
                  placement.text(),
                  speed(samples),
                  isCounted ? bytes(samples, bytes) : NOT_COUNTED,
                  isCounted
                      ? small(median(samples, Measured::failedSends))
                          + " / "
                          + small(median(samples, Measured::failedReceives))
                      : NOT_COUNTED,
                  Integer.toString(samples.size())));
        });
    return new Table(
        "What each reached",
        List.of(
            "Contender",
            "Cores",
            isTimed ? "#p50 / p99 / p99.9" : "#Speed",
            "#Bytes per record",
            "#Attempts in vain, to send / to receive",
            "#Samples"),
        rows);
  }

  /** All times, and whether a rate was kept. */
  private Table times(Row row) {
    double wanted = row.work().perSecond();
    List<List<String>> rows = new ArrayList<>();
    forEachGroup(
        row,
        (contender, placement, _, samples) -> {
          Histogram times = Charts.times(all, row, contender, placement);
          long missed =
              samples.stream()
                  .filter(one -> one.measured().perSecond() < wanted * (1 - TOLERANCE))
                  .count();
          List<String> cells = new ArrayList<>(List.of(contender.title(), placement.text()));
          DoubleStream.of(PERCENTILES)
              .mapToObj(one -> whole(times.getValueAtPercentile(one)))
              .forEach(cells::add);
          cells.add(
              wanted == 0
                  ? "–"
                  : missed == 0 ? "kept" : "missed by %d of %d".formatted(missed, samples.size()));
          cells.add(
              String.format(
                  Locale.ROOT, "%.1f", median(samples, one -> (double) one.collections())));
          rows.add(cells);
        });
    return new Table(
        "Times in nanoseconds: all samples of a contender as one",
        List.of(
            "Contender",
            "Cores",
            "#p50",
            "#p90",
            "#p99",
            "#p99.9",
            "#p99.99",
            "#max",
            wanted == 0 ? "Rate" : "Rate of " + whole(wanted),
            "#Collections"),
        rows);
  }

  /** What is done with the samples of a contender. */
  private interface Group {
    void use(Contenders contender, Placement placement, int idle, List<Sample> samples);
  }

  private void forEachGroup(Row row, Group group) {
    for (Placement placement : Placement.COMPARED) {
      for (int idle : all.idles(row)) {
        row.contenders()
            .forEach(
                one -> {
                  List<Sample> samples = Comparison.samples(all, row, one, placement, idle);
                  if (!samples.isEmpty()) {
                    group.use(one, placement, idle, samples);
                  }
                });
      }
    }
  }

  private Table footprints() {
    return new Table(
        "Bytes that a queue takes from one producer to one consumer, of records of 24 bytes, with"
            + " both its ends and the objects that are used in turn",
        List.of(
            "Contender", "#Capacity", "#Heap, empty", "#Heap, full", "#Off the heap", "#A slot"),
        all.footprints().stream()
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

  private Map<String, String> origin() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        "started",
        runs.stream()
            .map(run -> new Numbers().minute(run.started()))
            .collect(Collectors.joining(", ")));
    Pooled.conditions(all).forEach((name, value) -> facts.put(name, value.toString()));
    return facts;
  }

  // ---- other forms ----

  private static String markdown(List<Part> parts) {
    StringBuilder text = new StringBuilder();
    for (Part part : parts) {
      text.append("## ").append(part.title()).append("\n\n");
      for (Section section : part.sections()) {
        text.append("### ").append(section.title()).append("\n\n");
        section.notes().forEach(note -> text.append(Table.escaped(note)).append("\n\n"));
        section.ratios().forEach(table -> text.append(table.markdown()).append('\n'));
      }
    }
    return text.toString().stripTrailing() + "\n";
  }

  /** Bounds and targets that are not there are left empty. */
  private void writeCsv(Path file) throws IOException {
    try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(file)) {
      csv.writeRecord(
          "work",
          "peer",
          "placement",
          "ratio",
          "ratio_low",
          "ratio_high",
          "target",
          "alloc_bytes_per_op");
      for (Comparison one : comparisons) {
        boolean isBounded = !Double.isInfinite(one.ratio().high());
        csv.writeRecord(
            one.name(),
            one.peer().id(),
            one.placement().text(),
            number(one.ratio().value()),
            isBounded ? number(one.ratio().low()) : "",
            isBounded ? number(one.ratio().high()) : "",
            one.target().map(Report::number).orElse(""),
            one.measure() == Measure.THROUGHPUT ? number(one.bytesPerRecord()) : "");
      }
    }
  }

  // ---- amounts ----

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.4f", value);
  }

  private static String ratio(Comparison one) {
    return String.format(Locale.ROOT, "%,.2f", one.ratio().value());
  }

  private static String whole(double amount) {
    return whole(Math.round(amount));
  }

  private static String whole(long amount) {
    return String.format(Locale.ROOT, "%,d", amount);
  }

  /** What is often nothing, which is not the same as almost nothing. */
  private static String small(double amount) {
    if (amount == 0) {
      return "0";
    }
    return Math.abs(amount) < 0.005
        ? "<0.01"
        : String.format(Locale.ROOT, amount < 99.5 ? "%.2f" : "%,.0f", amount);
  }

  /** Records a second, or percentiles of times; and processor time, if it was counted. */
  private static String speed(List<Sample> samples) {
    double p50 = median(samples, Measured::p50);
    double millions = median(samples, Measured::perSecond) / 1e6;
    String speed =
        p50 == 0
            ? String.format(Locale.ROOT, millions < 10 ? "%.2f M/s" : "%,.1f M/s", millions)
            : "%s / %s / %s ns"
                .formatted(
                    whole(p50),
                    whole(median(samples, Measured::p99)),
                    whole(median(samples, Measured::p999)));
    double cpu = median(samples, Measured::cpuNanos);
    return cpu == 0 ? speed : speed + ", " + whole(cpu) + " ns of processors";
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
