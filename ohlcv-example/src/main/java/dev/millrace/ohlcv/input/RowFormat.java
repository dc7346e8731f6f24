package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.input.ReadOptions.Role;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Where in a row what is, and how it is written: found once, by the user's options first, else by
 * the layout.
 */
final class RowFormat {
  private static final List<String> BAR_PRICES = List.of("open", "high", "low", "close");

  final int width;
  final boolean bars;
  final List<Field> prices; // of a bar four, else one
  final List<Kept> kept;
  final boolean sideIsMaker;
  private final String file;
  private final Rows rows;
  private final List<String> names;
  private final Map<Role, Field> fields = new EnumMap<>(Role.class);

  /** A column. */
  record Field(String name, int column) {
    String text(Row row) {
      return row.field(column);
    }
  }

  /** A column and the values of which it must have one. */
  record Kept(Field field, List<String> values) {}

  /** Finds the columns; throws if one is not there. */
  RowFormat(Rows rows, Layout layout, ReadOptions options) throws InputException {
    this.file = rows.file;
    this.rows = rows;
    this.width = rows.width();
    this.bars = layout.bars();
    this.names =
        layout.names().isEmpty()
            ? IntStream.rangeClosed(1, width).mapToObj(String::valueOf).toList()
            : layout.names();
    for (Role role : Role.values()) {
      String chosen = options.columns().get(role);
      String told = layout.columns().get(role);
      if (chosen != null || told != null) {
        fields.put(role, chosen == null ? unique(told) : find("--" + role, chosen));
      }
    }
    List<Kept> conditions = new ArrayList<>();
    for (Map.Entry<String, List<String>> entry : options.keep().entrySet()) {
      conditions.add(new Kept(find("--keep", entry.getKey()), entry.getValue()));
    }
    this.kept = conditions;
    if (kept.stream().anyMatch(condition -> condition.field.equals(fields.get(Role.TYPE)))) {
      fields.remove(Role.TYPE); // the user chooses
    }
    require(Role.TIME);
    this.prices = bars ? barPrices() : List.of(require(Role.PRICE));
    require(Role.VOLUME);
    this.sideIsMaker =
        options.columns().containsKey(Role.SIDE)
            ? Layout.isOpposite(field(Role.SIDE).name)
            : layout.sideIsMaker();
  }

  boolean has(Role role) {
    return fields.containsKey(role);
  }

  Field field(Role role) {
    return fields.get(role);
  }

  private Field require(Role role) throws InputException {
    if (!has(role)) {
      boolean named = !rows.names().isEmpty();
      throw refused(
          role + " column must be given by --" + role,
          named ? "columns" : "first row",
          String.join(",", named ? names : rows.firstValues()));
    }
    return field(role);
  }

  private List<Field> barPrices() {
    List<String> plain = names.stream().map(Layout::plain).toList();
    return BAR_PRICES.stream().map(name -> at(plain.indexOf(name))).toList();
  }

  /** A column by the name that an option gives, or by its number from 1. */
  private Field find(String option, String name) throws InputException {
    if (names.contains(name)) {
      return unique(name);
    }
    for (int i = 0; i < width; i++) {
      if (names.get(i).equalsIgnoreCase(name) || String.valueOf(i + 1).equals(name)) {
        return at(i);
      }
    }
    throw refused("column must be one of " + String.join(",", names), option, name);
  }

  private Field unique(String name) throws InputException {
    int column = names.indexOf(name);
    if (column != names.lastIndexOf(name)) {
      throw refused("column must be given by its number: its name is there twice", "column", name);
    }
    return at(column);
  }

  private Field at(int column) {
    return new Field(names.get(column), column);
  }

  private InputException refused(String rule, String field, String value) {
    return new InputException(
        "%s:%d: %s: %s=%s"
            .formatted(
                file,
                rows.firstLine(),
                BadRowException.shown(rule, BadRowException.MAX_RULE),
                field,
                BadRowException.shown(value)));
  }
}
