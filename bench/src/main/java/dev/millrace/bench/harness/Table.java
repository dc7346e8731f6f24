package dev.millrace.bench.harness;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table.
 *
 * @param caption what it is of
 * @param heads of its columns; of numbers they start with #
 * @param rows the texts of the cells
 */
public record Table(String caption, List<String> heads, List<List<String>> rows) {
  /**
   * Makes a table.
   *
   * @param heads with semicolons between them
   */
  public static Table of(String caption, String heads, List<List<String>> rows) {
    return new Table(caption, List.of(heads.split(";", -1)), rows);
  }

  /**
   * Makes a table of cells by row and column, both in the order in which they come.
   *
   * @param corner the head of the rows' names
   * @param rows the cells by their columns, by their rows; those not there are empty
   */
  public static Table ofCells(String corner, Map<String, Map<String, String>> rows) {
    List<String> columns =
        rows.values().stream().flatMap(row -> row.keySet().stream()).distinct().toList();
    return new Table(
        corner,
        Stream.concat(Stream.of(corner), columns.stream().map(column -> "#" + column)).toList(),
        rows.entrySet().stream()
            .map(
                row ->
                    Stream.concat(
                            Stream.of(row.getKey()),
                            columns.stream().map(one -> row.getValue().getOrDefault(one, "")))
                        .toList())
            .toList());
  }

  /** Text that is the same in every locale. */
  @SuppressWarnings("AnnotateFormatMethod") // its annotation is not among the libraries
  public static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }

  /** The table in Markdown, without its caption. */
  public String markdown() {
    return line(heads.stream().map(head -> head.replace("#", "")))
        + line(heads.stream().map(head -> head.startsWith("#") ? "--:" : "---")).replace(" ", "")
        + rows.stream().map(row -> line(row.stream())).collect(Collectors.joining());
  }

  private static String line(Stream<String> cells) {
    return cells.map(Table::escaped).collect(Collectors.joining(" | ", "| ", " |\n"));
  }

  /** Text that Markdown shows as it is. */
  public static String escaped(String text) {
    return text.replace("<", "&lt;").replace("|", "\\|");
  }
}
