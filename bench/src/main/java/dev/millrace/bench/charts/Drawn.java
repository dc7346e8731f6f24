package dev.millrace.bench.charts;

import dev.millrace.bench.charts.Panel.Cell;
import dev.millrace.bench.charts.Panel.Row;
import dev.millrace.bench.harness.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A topic with the newest figures.
 *
 * @param parts its panels that have any
 * @param sources the files
 */
record Drawn(Topic topic, List<Part> parts, List<Figures> sources) {
  private static final List<String> PLACEMENTS = List.of("near", "far");
  private static final String NONE = "–";
  private static final int COLUMNS = 140;

  /** A panel and its figures. */
  record Part(Panel panel, List<Cell> cells) {
    List<Row> rows() {
      return cells.stream().map(Cell::row).distinct().toList();
    }
  }

  static Drawn of(Topic topic, Path folder) throws IOException {
    Map<String, List<Figures>> published = new LinkedHashMap<>();
    for (Panel panel : topic.panels()) {
      for (String name : panel.sources()) {
        published.put(name, Figures.newest(folder, name));
      }
    }
    List<Part> parts =
        topic.panels().stream()
            .map(panel -> new Part(panel, panel.cells(published)))
            .filter(part -> !part.cells().isEmpty())
            .toList();
    return new Drawn(topic, parts, published.values().stream().flatMap(List::stream).toList());
  }

  /** The titles of all contenders that have a figure, in the order of the topic. */
  Set<String> contenders() {
    Set<String> shown =
        cells().map(Cell::contender).collect(Collectors.toCollection(LinkedHashSet::new));
    return parts.stream()
        .flatMap(part -> part.panel().contenders().stream())
        .filter(shown::contains)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  boolean hasPlacements() {
    return cells().anyMatch(cell -> !cell.cores().isEmpty());
  }

  private Stream<Cell> cells() {
    return parts.stream().flatMap(part -> part.cells().stream());
  }

  /**
   * What the page has of it from its chart on: the chart, where its figures are from, the table.
   */
  String markdown() {
    return "![%s](charts/%s.svg)\\\n%s\n%s"
        .formatted(topic.title(), topic.id(), origins(), table().markdown());
  }

  /** When, on what and by which commands, in lines that are not too long. */
  private String origins() {
    Map<String, String> commands =
        sources.stream()
            .collect(
                Collectors.groupingBy(
                    Figures::machine,
                    LinkedHashMap::new,
                    Collectors.mapping(Figures::command, Collectors.joining(", "))));
    IntSummaryStatistics samples = cells().mapToInt(Cell::samples).summaryStatistics();
    String count =
        samples.getMin() == samples.getMax()
            ? String.valueOf(samples.getMax())
            : samples.getMin() + " to " + samples.getMax();
    String text =
        commands.entrySet().stream()
            .map(one -> one.getKey() + ": " + one.getValue())
            .collect(Collectors.joining("; "));
    return wrapped(text + "; %s JVM%s each".formatted(count, samples.getMax() == 1 ? "" : "s"));
  }

  private static String wrapped(String text) {
    return text.replaceAll("(.{1,%d})( +|$)".formatted(COLUMNS), "$1\n");
  }

  /** Medians by contender, of near and far cores where that matters, and the ratio. */
  private Table table() {
    List<String> placements =
        hasPlacements()
            ? PLACEMENTS.stream()
                .filter(one -> cells().anyMatch(cell -> cell.cores().equals(one)))
                .toList()
            : List.of("");
    List<String> units = parts.stream().map(part -> part.panel().unit()).distinct().toList();
    boolean hasOneUnit = units.size() == 1;
    List<String> heads = new ArrayList<>();
    heads.add(
        (hasOneUnit ? units.getFirst() : "")
            + (hasOneUnit && hasPlacements() ? ", " : "")
            + (hasPlacements() ? String.join(" / ", placements) + " cores" : ""));
    contenders().forEach(title -> heads.add("#" + title));
    heads.add("#ratio");
    List<List<String>> rows = new ArrayList<>();
    for (Part part : parts) {
      for (Row row : part.rows()) {
        List<String> line = new ArrayList<>();
        line.add(row.name() + (hasOneUnit ? "" : ", " + part.panel().unit()));
        for (String title : contenders()) {
          line.add(joined(placements, one -> median(part, row, title, one)));
        }
        line.add(joined(placements, one -> ratio(part, row, one)));
        rows.add(line);
      }
    }
    if (rows.stream().allMatch(row -> row.getLast().equals(NONE))) { // no peers
      heads.removeLast();
      rows.forEach(List::removeLast);
    }
    return flat(heads, rows);
  }

  /** With rows and columns exchanged, where that makes fewer rows. */
  private static Table flat(List<String> heads, List<List<String>> rows) {
    if (heads.size() - 1 >= rows.size() - 1) {
      return new Table("", heads, rows);
    }
    List<String> columns = new ArrayList<>();
    columns.add(heads.getFirst());
    rows.forEach(row -> columns.add("#" + row.getFirst()));
    List<List<String>> lines =
        IntStream.range(1, heads.size())
            .mapToObj(
                i ->
                    Stream.concat(
                            Stream.of(heads.get(i).replace("#", "")),
                            rows.stream().map(row -> row.get(i)))
                        .toList())
            .toList();
    return new Table("", columns, lines);
  }

  /** The texts for all placements, or one dash if there is none. */
  private static String joined(List<String> placements, UnaryOperator<String> text) {
    List<String> texts = placements.stream().map(text).toList();
    return texts.stream().allMatch(NONE::equals) ? NONE : String.join(" / ", texts);
  }

  private static String median(Part part, Row row, String title, String cores) {
    return part.cells().stream()
        .filter(cell -> cell.row().equals(row))
        .filter(cell -> cell.contender().equals(title) && cell.cores().equals(cores))
        .map(cell -> digits(cell.median()))
        .findFirst()
        .orElse(NONE);
  }

  /** Bold below 1; at most so much where a peer is missing, which may have been faster. */
  private static String ratio(Part part, Row row, String cores) {
    double ratio = part.panel().ratio(part.cells(), row, cores);
    if (Double.isNaN(ratio)) {
      return NONE;
    }
    String text = ratio < 1 ? Table.format("%.2f", ratio) : digits(ratio);
    return (part.panel().hasAllPeers(part.cells(), row, cores) ? "" : "≤ ")
        + (text.startsWith("0") ? "**" + text + "**" : text);
  }

  /** Three digits, or all before the point. */
  static String digits(double value) {
    String format = value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : value >= 1 ? "%.2f" : "%.3f";
    return Table.format(format, value);
  }

  /** A round number, of which nothing is left out. */
  static String rounded(double value) {
    return new DecimalFormat("#,##0.######", DecimalFormatSymbols.getInstance(Locale.ROOT))
        .format(value);
  }
}
