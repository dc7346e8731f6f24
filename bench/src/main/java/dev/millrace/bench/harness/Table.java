package dev.millrace.bench.harness;

import java.util.List;
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
