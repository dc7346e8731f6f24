package dev.millrace.telemetry.tool;

import java.util.ArrayList;
import java.util.List;

/**
 * A table whose columns are as wide as necessary, with text aligned left and numbers aligned right.
 */
public final class TextTable {
  private static final String GAP = "  ";

  private final boolean[] isNumber;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * Makes a table without rows.
   *
   * @param heads the heads of the columns. Those of number columns begin with {@code #}
   */
  public TextTable(String... heads) {
    isNumber = new boolean[heads.length];
    List<String> names = new ArrayList<>();
    for (int i = 0; i < heads.length; i++) {
      isNumber[i] = heads[i].startsWith("#");
      names.add(isNumber[i] ? heads[i].substring(1) : heads[i]);
    }
    rows.add(names);
  }

  /**
   * Adds a row.
   *
   * @param row a text for each column
   */
  public void add(String... row) {
    rows.add(List.of(row));
  }

  /**
   * Returns the whole table.
   *
   * @return the head and the rows, without trailing blanks
   */
  public List<String> lines() {
    int[] widths = new int[isNumber.length];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], width(row.get(i)));
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String blanks = " ".repeat(widths[i] - width(row.get(i)));
      line.append(isNumber[i] ? blanks + row.get(i) : row.get(i) + blanks).append(GAP);
    }
    return line.toString().stripTrailing();
  }

  private static int width(String text) {
    return text.codePointCount(0, text.length());
  }
}
