package dev.millrace.ohlcv.input;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the columns of a file are for: by the user's options first, else by the names of the header
 * ({@link Role#names()}), or by the first row of a file that has no header.
 */
final class Layout {
  /**
   * The columns of files without a header, by what their first row holds: n number, t time, b
   * boolean, s side, o order type, e nothing.
   */
  private static final Map<String, String> UNNAMED =
      Map.of(
          "[nt]nn", // Bitstamp
          "time price volume",
          "nnnnnbb?", // Binance Vision
          "id price qty quote_qty time is_buyer_maker is_best_match",
          "nnnnnnbb?", // the same, aggregated
          "id price qty first_trade_id last_trade_id time is_buyer_maker is_best_match",
          "nnnsoen?", // Kraken
          "price volume time side misc type id");

  /** All columns of the one venue whose side is the maker's without its name saying so. */
  private static final Set<String> COINBASE = Set.of("trade_id", "side", "size", "price", "time");

  /** Columns of recorded Binance futures, whose type shows trades that belong in no candle. */
  private static final Set<String> BINANCE = Set.of("trade_time_ms", "buyer_is_maker", "type");

  private static final List<String> BAR_PRICES = List.of("open", "high", "low", "close");

  final boolean bars;
  final boolean sideIsMaker;
  final List<Integer> prices; // of a bar four columns, else one
  private final String where;
  private final List<String> names;
  private final Map<Role, Integer> columns = new EnumMap<>(Role.class);

  /**
   * Finds the columns.
   *
   * @param where file and line of the first row, for messages
   * @param header the columns' names; empty if the file does not name them
   * @param first the first row with values
   * @param chosen the user's columns, by name or number
   */
  Layout(String where, List<String> header, List<String> first, Map<Role, String> chosen)
      throws InputException {
    this.where = where;
    List<String> known = header.isEmpty() ? namesOf(first) : header;
    this.names =
        known.isEmpty()
            ? IntStream.rangeClosed(1, first.size()).mapToObj(String::valueOf).toList()
            : known;
    List<String> plain = names.stream().map(Layout::plain).toList();
    for (Role role : Role.values()) {
      int column = chosen.containsKey(role) ? find(role, chosen.get(role)) : usual(role);
      if (column >= 0) {
        columns.put(role, column);
      }
    }
    int type = names.indexOf("type");
    if (names.containsAll(BINANCE)) {
      columns.put(Role.TYPE, type);
    } else if (type >= 0 && type < first.size() && TradeParser.isSide(first.get(type))) {
      columns.putIfAbsent(Role.SIDE, type); // Gemini
    }
    this.bars = plain.containsAll(BAR_PRICES) && !columns.containsKey(Role.PRICE);
    if (bars) {
      columns.put(Role.PRICE, plain.indexOf("close"));
      columns.remove(Role.SIDE);
    }
    for (Role role : List.of(Role.TIME, Role.PRICE, Role.VOLUME)) {
      if (!has(role)) {
        String told = header.isEmpty() && known.isEmpty() ? "first row" : "columns";
        throw refused(
            role + " column must be given by --" + role,
            told,
            String.join(",", known.isEmpty() ? first : names));
      }
    }
    this.prices =
        bars ? BAR_PRICES.stream().map(plain::indexOf).toList() : List.of(columns.get(Role.PRICE));
    String side = has(Role.SIDE) ? plain(name(Role.SIDE)) : "";
    this.sideIsMaker =
        side.contains("maker")
            || List.of("sell", "issell", "m").contains(side)
            || (Set.copyOf(names).equals(COINBASE) && !chosen.containsKey(Role.SIDE));
  }

  int width() {
    return names.size();
  }

  boolean has(Role role) {
    return columns.containsKey(role);
  }

  int column(Role role) {
    return columns.get(role);
  }

  String name(Role role) {
    return name(column(role));
  }

  String name(int column) {
    return names.get(column);
  }

  @Override
  public String toString() {
    return bars ? "daily bars" : "trades by column names";
  }

  /** A role's column that has the most telling name; -1 if there is none. */
  private int usual(Role role) throws InputException {
    for (String usual : role.names()) {
      for (String name : names) {
        if (usual.equals(name) || usual.equals(plain(name))) {
          return unique(name);
        }
      }
    }
    return -1;
  }

  /** A column by the name that an option gives, or by its number from 1. */
  private int find(Role role, String option) throws InputException {
    if (names.contains(option)) {
      return unique(option);
    }
    for (int i = 0; i < names.size(); i++) {
      if (names.get(i).equalsIgnoreCase(option) || String.valueOf(i + 1).equals(option)) {
        return i;
      }
    }
    throw refused("column must be one of " + String.join(",", names), "--" + role, option);
  }

  private int unique(String name) throws InputException {
    if (names.indexOf(name) != names.lastIndexOf(name)) {
      throw refused("column must be given by its number: its name is there twice", "column", name);
    }
    return names.indexOf(name);
  }

  private InputException refused(String rule, String field, String value) {
    return new InputException(
        "%s: %s: %s=%s"
            .formatted(
                where,
                BadRowException.shown(rule, BadRowException.MAX_RULE),
                field,
                BadRowException.shown(value)));
  }

  private static List<String> namesOf(List<String> values) {
    String shape = values.stream().map(Layout::kind).collect(Collectors.joining());
    return UNNAMED.entrySet().stream()
        .filter(entry -> Pattern.matches(entry.getKey(), shape))
        .map(entry -> List.of(entry.getValue().split(" ", -1)).subList(0, values.size()))
        .findAny()
        .orElse(List.of());
  }

  private static String kind(String value) {
    if (DecimalField.isNumber(value)) {
      return "n";
    }
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "true", "false" -> "b";
      case "b", "s" -> "s";
      case "l", "m" -> "o";
      case "" -> "e";
      default -> TimeField.isWritten(value) ? "t" : "-";
    };
  }

  /** The name without what names differ in: case, underscores, a translation behind a slash. */
  private static String plain(String name) {
    return name.replaceFirst("(?<=.)/.*", "").toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
  }
}
