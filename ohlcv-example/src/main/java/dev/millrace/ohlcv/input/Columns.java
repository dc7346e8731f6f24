package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.input.ReadOptions.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Finds columns: by the user's options first, else by the layout. */
final class Columns {
  static final int NONE = -1;

  private final String file;
  private final Rows rows;
  private final List<String> names;

  Columns(String file, Rows rows) {
    this.file = file;
    this.rows = rows;
    this.names = rows.names().isEmpty() ? numbers(rows.width()) : rows.names();
  }

  /** The column of a role that must be there. */
  int required(Role role, ReadOptions options, Layout layout) throws InputException {
    int column = optional(role, options, layout);
    if (column == NONE) {
      throw refused(
          role.text() + " column must be given by --" + role.text(),
          rows.names().isEmpty() ? "first row" : "columns",
          String.join(",", rows.names().isEmpty() ? rows.firstValues() : names));
    }
    return column;
  }

  /** The column of a role, or {@link #NONE}. */
  int optional(Role role, ReadOptions options, Layout layout) throws InputException {
    String chosen = options.columns().get(role);
    if (chosen != null) {
      return find("--" + role.text(), chosen);
    }
    String told = layout.columns().get(role);
    return told == null ? NONE : unique(told);
  }

  /** A column by the name that an option gives, or by its number from 1. */
  int find(String option, String name) throws InputException {
    int exact = unique(name);
    if (exact >= 0) {
      return exact;
    }
    for (int i = 0; i < names.size(); i++) {
      if (names.get(i).equalsIgnoreCase(name)) {
        return i;
      }
    }
    if (name.matches("[0-9]{1,6}")) {
      int number = Integer.parseInt(name);
      if (number >= 1 && number <= names.size()) {
        return number - 1;
      }
    }
    throw refused("column must be one of " + String.join(",", names), option, name);
  }

  /** A column that the layout names; {@link #NONE} for no name. */
  int named(String name) {
    return name == null ? NONE : names.indexOf(name);
  }

  String name(int column) {
    return names.get(column);
  }

  /** Which values which columns must have. */
  List<Kept> kept(Map<String, List<String>> keep) throws InputException {
    List<Kept> kept = new ArrayList<>();
    for (Map.Entry<String, List<String>> entry : keep.entrySet()) {
      kept.add(new Kept(find("--keep", entry.getKey()), entry.getValue()));
    }
    return kept;
  }

  private int unique(String name) throws InputException {
    int column = names.indexOf(name);
    if (column != names.lastIndexOf(name)) {
      throw refused("column must be given by its number: its name is there twice", "column", name);
    }
    return column;
  }

  private InputException refused(String rule, String field, String value) {
    return new InputException(
        file
            + ":"
            + rows.firstLine()
            + ": "
            + BadRowException.shown(rule, 400)
            + ": "
            + field
            + "="
            + BadRowException.shown(value));
  }

  private static List<String> numbers(int width) {
    List<String> numbers = new ArrayList<>();
    for (int i = 1; i <= width; i++) {
      numbers.add(String.valueOf(i));
    }
    return numbers;
  }

  /** A column and the values of which it must have one. */
  record Kept(int column, List<String> values) {}
}
