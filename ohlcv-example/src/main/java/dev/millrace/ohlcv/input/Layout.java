package dev.millrace.ohlcv.input;

import static java.util.Comparator.comparingInt;

import dev.millrace.ohlcv.input.ReadOptions.Role;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What the columns of a file are for, as its header shows: by the names that exchanges use, and by
 * what is known of some venues besides.
 *
 * @param name for the summary
 * @param names of the columns, also of a file that comes without them; empty if they are not known
 * @param columns the column of each role that there is, by name
 * @param sideIsMaker whether the side column has the maker's side
 * @param bars whether a row is a day's open, high, low and close instead of a trade
 */
record Layout(
    String name, List<String> names, Map<Role, String> columns, boolean sideIsMaker, boolean bars) {
  /** The names in use, most telling first, in lower case and without anything but letters. */
  private static final Map<Role, List<String>> USUAL =
      Map.of(
          Role.TIME,
          words(
              "tradetimems tradetime transacttime timestampms timestamp time ts tsevent"
                  + " createdtime createtime datetime date"),
          Role.PRICE,
          words("price px tradeprice p"),
          Role.VOLUME,
          words("qty quantity size sz amount volume v q"),
          Role.SIDE,
          words("side takerside direction makerside isbuyermaker buyerismaker isbuy sell"),
          Role.SYMBOL,
          words("symbol ticker instrumentname instid instrumentid instrument pair"),
          Role.FIRST_ID,
          words("firsttradeid"),
          Role.LAST_ID,
          words("lasttradeid"));

  /** What is known of venues: by some of their columns those that the names do not show. */
  private static final Map<List<String>, Map<Role, String>> VENUES =
      Map.of(
          words("trade_time_ms price qty buyer_is_maker type"), // Binance, and its API below
          Map.of(Role.TYPE, "type"),
          words("p q T m"),
          Map.of(
              Role.TIME,
              "T",
              Role.SIDE,
              "m",
              Role.SYMBOL,
              "s",
              Role.TYPE,
              "X",
              Role.FIRST_ID,
              "f",
              Role.LAST_ID,
              "l"));

  /** All columns of the one venue whose side is the maker's without its name saying so. */
  private static final Set<String> COINBASE = Set.copyOf(words("trade_id side size price time"));

  /**
   * The headers of files that come without one, by what their first row holds: n number, t time, b
   * boolean, s side, o order type, e nothing.
   */
  private static final Map<String, List<String>> UNNAMED =
      Map.of(
          "[nt]nn", // Bitstamp
          words("time price volume"),
          "nnnnnbb?", // Binance Vision
          words("id price qty quote_qty time is_buyer_maker is_best_match"),
          "nnnnnnbb?", // the same, aggregated
          words("id price quantity first_trade_id last_trade_id time is_buyer_maker is_best_match"),
          "nnnsoen?", // Kraken
          words("price volume time side type misc id"));

  private static final List<String> BAR_COLUMNS = words("date open high low close volume");

  /** Tells a layout from the names and, where these leave it open, from the first row. */
  static Layout of(List<String> header, List<String> firstValues) {
    List<String> names = header.isEmpty() ? namesOf(firstValues) : header;
    Map<Role, String> columns = usual(names);
    int type = names.indexOf("type");
    if (!columns.containsKey(Role.SIDE)
        && type >= 0
        && type < firstValues.size()
        && RowParser.isSide(firstValues.get(type))) {
      columns.put(Role.SIDE, "type");
    }
    boolean bars =
        names.stream().map(Layout::plain).toList().containsAll(BAR_COLUMNS)
            && !columns.containsKey(Role.PRICE);
    VENUES.forEach(
        (venue, known) -> {
          if (names.containsAll(venue)) {
            columns.putAll(known);
          }
        });
    columns.values().retainAll(names);
    String side = columns.get(Role.SIDE);
    boolean maker = (side != null && isOpposite(side)) || Set.copyOf(names).equals(COINBASE);
    String found = bars ? "daily bars" : "trades by column names";
    return new Layout(found, names, columns, maker, bars);
  }

  private static Map<Role, String> usual(List<String> names) {
    Map<Role, String> columns = new EnumMap<>(Role.class);
    USUAL.forEach(
        (role, usual) ->
            names.stream()
                .filter(name -> usual.contains(plain(name)))
                .min(comparingInt(name -> usual.indexOf(plain(name))))
                .ifPresent(name -> columns.put(role, name)));
    return columns;
  }

  private static List<String> namesOf(List<String> values) {
    String shape = values.stream().map(Layout::kind).collect(Collectors.joining());
    return UNNAMED.entrySet().stream()
        .filter(entry -> Pattern.matches(entry.getKey(), shape))
        .map(entry -> entry.getValue().subList(0, values.size()))
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

  /** Whether a column of this name, if true or a buy, means that the taker sold. */
  static boolean isOpposite(String name) {
    String plain = plain(name);
    return plain.contains("maker") || Set.of("sell", "issell", "m").contains(plain);
  }

  /** The name without what names differ in: case, underscores, a translation behind a slash. */
  static String plain(String name) {
    int slash = name.indexOf('/');
    String first = slash > 0 ? name.substring(0, slash) : name;
    return first.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
  }

  private static List<String> words(String text) {
    return List.of(text.split(" "));
  }
}
