package dev.millrace.bench.compare;

import static dev.millrace.bench.harness.Table.format;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.millrace.bench.compare.Charts.Chart;
import dev.millrace.bench.compare.Comparison.Tone;
import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.bench.harness.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What runs have shown: a page, tables for a document, and the ratios for programs. The samples of
 * several runs are pooled.
 */
final class Report {
  private static final DateTimeFormatter MINUTES =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final String CSV_HEAD =
      "work,peer,placement,ratio,ratio_low,ratio_high,target,alloc_bytes_per_op";

  private final List<Results> runs;
  private final Results all;
  private final Map<Row, List<Group>> groups = new LinkedHashMap<>();
  private final List<Comparison> comparisons = new ArrayList<>();

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
      List<Table> others) {
    private String markdown() {
      return "### %s\n\n".formatted(title)
          + notes.stream().map(note -> Table.escaped(note) + "\n\n").collect(Collectors.joining())
          + ratios.stream().map(table -> table.markdown() + "\n").collect(Collectors.joining());
    }
  }

  /** Works that belong together. */
  public record Part(String id, String title, List<Chart> charts, List<Section> sections) {
    private String markdown() {
      return sections.stream()
          .map(Section::markdown)
          .collect(Collectors.joining("", "## %s\n\n".formatted(title), ""));
    }

    private Stream<Chart> allCharts() {
      return Stream.concat(
          charts.stream(), sections.stream().flatMap(section -> section.charts().stream()));
    }
  }

  /** Of runs that may be pooled. */
  Report(List<Results> runs) {
    this.runs = List.copyOf(runs);
    this.all = Results.pooled(runs);
    for (Row row : Row.all()) {
      List<Group> its = all.groups(row);
      groups.put(row, its);
      comparisons.addAll(Comparison.of(row, its));
    }
  }

  /** All ratios. */
  List<Comparison> comparisons() {
    return comparisons;
  }

  /** Writes all; returns the page. */
  Path write(Path directory) throws IOException {
    Files.createDirectories(directory);
    List<Part> parts = parts();
    Table footprints = WorkTables.footprints(all.footprints());
    String tables =
        parts.stream().map(Part::markdown).collect(Collectors.joining())
            + (footprints.rows().isEmpty() ? "" : "## Memory\n\n" + footprints.markdown());
    Files.writeString(directory.resolve("ratios.md"), tables.strip() + "\n");
    writeCsv(directory.resolve("ratios.csv"));
    Path page = directory.resolve("index.html");
    List<Chart> charts = parts.stream().flatMap(Part::allCharts).toList();
    Page.write(
        "report.ftlh",
        Map.of(
            "overview", overview(),
            "losses", losses(),
            "parts", parts,
            "footprints", footprints,
            "origin", origin(),
            "commands", runs.stream().map(Results::command).toList(),
            "library", charts.isEmpty() ? "" : Charts.library(),
            "chartData", Charts.json(charts)),
        page);
    return page;
  }

  // ---- the overview ----

  /** How the targets of each work stand. */
  Table overview() {
    return new Table(
        format(
            "Targets by work, and where the cores were: near below %.0f ns of round trip",
            Probe.NEAR_NANOS),
        List.of("Work", "Near", "Far"),
        Suite.TARGETS.rows().stream()
            .map(
                row ->
                    List.of(title(row), targets(row, Placement.NEAR), targets(row, Placement.FAR)))
            .toList());
  }

  private String targets(Row row, Placement placement) {
    List<Comparison> aimed =
        of(row, placement).stream().filter(one -> one.target().isPresent()).toList();
    long met = aimed.stream().filter(one -> one.verdict().tone() == Tone.CLEAR).count();
    long wanted =
        all.peers(row).stream().filter(peer -> row.targetAgainst(peer) != 0).count()
            * row.work().shape().measures().size()
            * all.idles(row).size();
    Map<String, Long> counts = new LinkedHashMap<>();
    counts.put("met", met);
    counts.put("missed", aimed.size() - met);
    counts.put("not measured", wanted - aimed.size());
    String text =
        counts.entrySet().stream()
            .filter(count -> count.getValue() > 0)
            .map(count -> count.getValue() + " " + count.getKey())
            .collect(Collectors.joining(", "));
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
                        one.ratioText(),
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
                .filter(sweep -> sweep.id().startsWith(suite.command()))
                .flatMap(sweep -> Charts.of(sweep, all).stream())
                .toList();
        parts.add(new Part(suite.command(), suite.title, charts, sections));
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
        ratios.add(WorkTables.ratios(placement, lines));
      }
    }
    row.contenders().forEach(contender -> addDiscarded(notes, row, contender));
    return new Section(
        row.work().id(),
        title(row),
        row.work().details(),
        notes,
        row.work().shape().isTimed() ? Charts.ofTimes(row, groups.get(row)) : List.of(),
        ratios,
        WorkTables.ofGroups(row, groups.get(row)));
  }

  /** Why samples of a contender do not count. */
  private void addDiscarded(List<String> notes, Row row, Contenders contender) {
    List<Sample> its =
        all.samples().stream().filter(sample -> sample.isOf(row, contender)).toList();
    List<String> failures = its.stream().map(Sample::failure).filter(Objects::nonNull).toList();
    long moved =
        its.stream()
            .filter(one -> one.failure() == null && one.placement() == Placement.MOVED)
            .count();
    if (moved > 0) {
      notes.add("%s: %d do not count, the cores moved".formatted(contender.title(), moved));
    }
    if (!failures.isEmpty()) {
      String first = failures.getFirst().lines().findFirst().orElse("no message");
      notes.add("%s: %d failed: %s".formatted(contender.title(), failures.size(), first));
    }
  }

  private Map<String, String> origin() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(
        "started",
        runs.stream()
            .map(run -> MINUTES.format(Instant.parse(run.started())))
            .collect(Collectors.joining(", ")));
    facts.putAll(all.conditions());
    return facts;
  }

  /** Bounds and targets that are not there are left empty. */
  private void writeCsv(Path file) throws IOException {
    try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(file)) {
      csv.writeRecord(CSV_HEAD.split(",", -1));
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

  private static String number(double value) {
    return format("%.4f", value);
  }
}
