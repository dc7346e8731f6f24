package dev.millrace.bench.charts;

import dev.millrace.bench.harness.Samples;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Rows that have one unit.
 *
 * @param axis what the axis says
 * @param unit the same in short
 * @param figures the name of the CSV files without date: see {@link Figures#newest}
 * @param measure the column, if a row names no other
 * @param per by how much a figure is divided to have the unit
 * @param better which way a figure is good
 * @param by the columns that name a contender, {@code contender} by default; of a value with
 *     slashes the last part counts
 * @param ours the titles of Millrace's contenders by name; several names may share a title
 * @param peers titles of the others
 * @param references titles of what is shown, but is no peer: a bare loop, the disk
 * @param rows from the top
 */
record Panel(
    String axis,
    String unit,
    String figures,
    String measure,
    double per,
    Better better,
    List<String> by,
    Map<String, String> ours,
    Map<String, String> peers,
    Map<String, String> references,
    List<Row> rows) {
  private static final String CORES = "cores";
  private static final String SAMPLES = "samples";

  /** Which way a figure is good. */
  enum Better {
    MORE,
    LESS;

    /** What a reader is told. */
    String text() {
      return name().toLowerCase(Locale.ROOT) + " is better";
    }
  }

  /**
   * A row.
   *
   * @param name what a reader is told
   * @param figures other CSV files than the panel's, or null
   * @param measure another column than the panel's, or null
   * @param where what its lines have in which columns; a value that ends with * is a beginning
   */
  record Row(String name, String figures, String measure, Map<String, String> where) {
    private boolean has(Map<String, String> line) {
      return where == null
          || where.entrySet().stream()
              .allMatch(one -> matches(line.get(one.getKey()), one.getValue()));
    }

    private static boolean matches(String found, String wanted) {
      return wanted.endsWith("*")
          ? found != null && found.startsWith(wanted.substring(0, wanted.length() - 1))
          : wanted.equals(found);
    }
  }

  /**
   * A figure.
   *
   * @param cores near or far; empty where that does not matter
   * @param samples of how many JVMs
   */
  record Cell(
      Row row,
      String contender,
      String cores,
      double median,
      double least,
      double most,
      int samples) {}

  Panel {
    by = by == null ? List.of("contender") : List.copyOf(by);
    references = references == null ? Map.of() : references;
  }

  /** All titles, Millrace's first. */
  Set<String> contenders() {
    return Stream.of(ours, peers, references)
        .flatMap(some -> some.values().stream())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** The names of all CSV files it is made of. */
  Set<String> sources() {
    return rows.stream().map(this::source).collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private String source(Row row) {
    return Objects.requireNonNullElse(row.figures(), figures);
  }

  /**
   * What the files have for its rows. Samples whose cores moved are left out. A row without a
   * figure of Millrace is left out too.
   */
  List<Cell> cells(Map<String, List<Figures>> published) {
    List<Cell> cells = new ArrayList<>();
    for (Row row : rows) {
      Map<List<String>, List<Map<String, String>>> lines =
          published.get(source(row)).stream()
              .flatMap(file -> file.lines().stream())
              .filter(line -> row.has(line) && isShown(row, line))
              .collect(
                  Collectors.groupingBy(
                      line -> List.of(title(line), line.getOrDefault(CORES, "")),
                      LinkedHashMap::new,
                      Collectors.toList()));
      if (lines.keySet().stream().anyMatch(key -> ours.containsValue(key.getFirst()))) {
        lines.forEach((key, some) -> cells.add(cell(row, key.get(0), key.get(1), some)));
      }
    }
    return cells;
  }

  private boolean isShown(Row row, Map<String, String> line) {
    return title(line) != null
        && !"moved".equals(line.get(CORES))
        && number(line, measure(row)) > 0;
  }

  private String measure(Row row) {
    return Objects.requireNonNullElse(row.measure(), measure);
  }

  private String title(Map<String, String> line) {
    String name =
        by.stream()
            .map(column -> line.getOrDefault(column, "").replaceFirst(".*/", ""))
            .collect(Collectors.joining(" "));
    return Stream.of(ours, peers, references)
        .map(some -> some.get(name))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** Of several lines: the median of all their medians, each as often as it has samples. */
  private Cell cell(Row row, String title, String cores, List<Map<String, String>> lines) {
    String column = measure(row);
    double[] medians =
        lines.stream()
            .flatMapToDouble(
                line -> IntStream.range(0, samples(line)).mapToDouble(_ -> number(line, column)))
            .toArray();
    return new Cell(
        row,
        title,
        cores,
        Samples.median(medians) / per,
        lines.stream().mapToDouble(line -> extreme(line, column, " least")).min().orElseThrow()
            / per,
        lines.stream().mapToDouble(line -> extreme(line, column, " most")).max().orElseThrow()
            / per,
        medians.length);
  }

  private static double extreme(Map<String, String> line, String column, String which) {
    double extreme = number(line, column + which);
    return extreme > 0 ? extreme : number(line, column); // there is only one sample
  }

  private static int samples(Map<String, String> line) {
    return Integer.parseInt(line.getOrDefault(SAMPLES, "1"));
  }

  private static double number(Map<String, String> line, String column) {
    String text = line.getOrDefault(column, "");
    return text.isEmpty() ? 0 : Double.parseDouble(text);
  }

  /** How much better Millrace is than the best peer on such cores; NaN if there is no peer. */
  double ratio(List<Cell> cells, Row row, String cores) {
    double[] mine = medians(cells, row, cores, Set.of(ours.values().iterator().next()));
    double[] others = medians(cells, row, cores, Set.copyOf(peers.values()));
    if (mine.length == 0 || others.length == 0) {
      return Double.NaN;
    }
    return better == Better.MORE
        ? mine[0] / Arrays.stream(others).max().orElseThrow()
        : Arrays.stream(others).min().orElseThrow() / mine[0];
  }

  /** Whether each peer that has a figure in the row has one for these cores. */
  boolean hasAllPeers(List<Cell> cells, Row row, String cores) {
    return cells.stream()
            .filter(cell -> cell.row().equals(row) && peers.containsValue(cell.contender()))
            .map(Cell::contender)
            .distinct()
            .count()
        == medians(cells, row, cores, Set.copyOf(peers.values())).length;
  }

  private static double[] medians(List<Cell> cells, Row row, String cores, Set<String> titles) {
    return cells.stream()
        .filter(cell -> cell.row().equals(row) && cell.cores().equals(cores))
        .filter(cell -> titles.contains(cell.contender()))
        .mapToDouble(Cell::median)
        .toArray();
  }
}
