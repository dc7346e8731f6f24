package dev.millrace.ohlcv.input;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * What the columns of a file are for: by the user's options first, else by the names of the header
 * ({@link Role#names()}), or by the first row of a file that has no header.
 *
 * <p>A column has one role. One without a name, or with a name of other letters, has none unless an
 * option gives it one. Where several could have a role, {@link #toString()} says which has it.
 */
final class Layout {
  /** Columns of recorded Binance futures, whose type shows trades that belong in no candle. */
  private static final Set<String> BINANCE = Set.of("tradetimems", "buyerismaker", "type");

  /** Columns of Databento, whose actions are trades or changes of the book. */
  private static final Set<String> DATABENTO = Set.of("tsevent", "instrumentid", "price");

  private static final int DATABENTO_SCALE = 9; // of prices without a point
  private static final int DATABENTO_DIGITS = 7; // a price of fewer would be below 0.001

  private static final List<String> BAR_PRICES = List.of("open", "high", "low", "close");
  private static final Set<String> DAYS = Set.of("date", "tradedate", "tradingday", "day");

  /** Columns of true and false, or 1 and 0. */
  private static final Pattern FLAG = Pattern.compile("is.*|buyerismaker|sell|takersidesell|m");

  /** Columns where true, or a bought order, means that the taker sold. */
  private static final Pattern MAKER = Pattern.compile(".*maker.*|sell|issell|takersidesell|m");

  final boolean bars;
  final boolean sideIsMaker;
  final boolean sideIsFlag; // 1 is true, 0 is false
  final boolean sideIsSign; // of the volume
  final String market; // what the column of the type holds in rows that count
  final int priceScale; // of prices without a point
  final List<Integer> prices; // of a bar four columns, else one
  private final String where;
  private final List<String> names;
  private final List<String> plain;
  private final List<String> first;
  private final Map<Role, Integer> columns = new EnumMap<>(Role.class);
  private final Set<Integer> taken = new HashSet<>(); // by options

  /**
   * Finds the columns.
   *
   * @param where file and line of the first row, for messages
   * @param header the columns' names; empty if the file does not name them
   * @param first the first row with values
   * @param isJson whether the rows are of a JSON document
   * @param chosen the user's columns, by name or number
   */
  Layout(
      String where,
      List<String> header,
      List<String> first,
      boolean isJson,
      Map<Role, String> chosen)
      throws InputException {
    this.where = where;
    this.first = first;
    List<String> known = header.isEmpty() ? Venues.namesOf(first, isJson) : header;
    this.names =
        known.isEmpty()
            ? IntStream.rangeClosed(1, first.size()).mapToObj(String::valueOf).toList()
            : known;
    this.plain = names.stream().map(Layout::plain).toList();
    for (Map.Entry<Role, String> option : chosen.entrySet()) {
      take(option.getKey(), option.getValue());
    }
    for (Role role : Role.values()) {
      if (!has(role)) {
        put(role, usual(role));
      }
    }
    if (!has(Role.VOLUME) && has(Role.SIDE) && isNamed(Role.VOLUME, column(Role.SIDE))) {
      columns.put(Role.VOLUME, column(Role.SIDE)); // --side amount
    }
    boolean isBarsLast =
        has(Role.PRICE)
            && !chosen.containsKey(Role.PRICE)
            && plain.get(column(Role.PRICE)).startsWith("last");
    if (isBarsLast && plain.containsAll(BAR_PRICES.subList(0, 3))) {
      columns.remove(Role.PRICE); // the close of a bar
    }
    this.bars = plain.containsAll(BAR_PRICES) && !has(Role.PRICE);
    if (bars) {
      columns.put(Role.PRICE, plain.indexOf("close"));
      columns.remove(Role.SIDE);
    }
    pairDayAndClock(chosen.containsKey(Role.TIME));
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
    boolean isDatabento = plain.containsAll(DATABENTO);
    this.priceScale = isDatabento && isLongWhole(value(Role.PRICE)) ? DATABENTO_SCALE : 0;
    this.market = findType(isDatabento);
    this.sideIsSign = !bars && findSign();
    String side = has(Role.SIDE) && !sideIsSign ? plain.get(column(Role.SIDE)) : "";
    this.sideIsFlag = FLAG.matcher(side).matches();
    this.sideIsMaker =
        MAKER.matcher(side).matches()
            || (Venues.isCoinbase(names) && !chosen.containsKey(Role.SIDE));
  }

  /** Whether a row has a field for each column; those at its end without a name may be missing. */
  boolean hasWidth(List<String> fields) {
    int size = fields.size();
    return size == names.size() || (size < names.size() && isFilled(size));
  }

  private boolean isFilled(int size) {
    return names.subList(size, names.size()).stream().allMatch(String::isBlank)
        && columns.values().stream().allMatch(column -> column < size);
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

  /** A column's name; its number if it has none. */
  String name(int column) {
    String name = names.get(column);
    return name.isBlank() ? String.valueOf(column + 1) : name;
  }

  /** Which columns were taken for what. */
  @Override
  public String toString() {
    List<String> told = new ArrayList<>();
    told.add("time=" + both(Role.TIME, Role.CLOCK));
    if (bars) {
      BAR_PRICES.forEach(price -> told.add(price + "=" + shown(plain.indexOf(price))));
    } else {
      told.add("price=" + shown(column(Role.PRICE)));
    }
    told.add("volume=" + shown(column(Role.VOLUME)));
    if (has(Role.SIDE)) {
      String side = shown(column(Role.SIDE));
      told.add((sideIsMaker ? "maker=" : "side=") + (sideIsSign ? "sign of " : "") + side);
    }
    if (has(Role.SYMBOL)) {
      told.add("symbol=" + both(Role.SYMBOL, Role.SUFFIX));
    }
    if (has(Role.TYPE)) {
      told.add(shown(column(Role.TYPE)) + "=" + market + " only");
    }
    return (bars ? "daily bars: " : "") + String.join(" ", told);
  }

  private boolean isNamed(Role role, int column) {
    return role.names().contains(plain.get(column));
  }

  private String both(Role one, Role other) {
    return shown(column(one)) + (has(other) ? "+" + shown(column(other)) : "");
  }

  private String shown(int column) {
    return BadRowException.shown(name(column));
  }

  private void put(Role role, int column) {
    if (column >= 0) {
      columns.put(role, column);
    }
  }

  /** What the first row has in the column of a role. */
  private String value(Role role) {
    return value(column(role));
  }

  private String value(int column) {
    return column < first.size() ? first.get(column) : "";
  }

  // ---- columns by options ----

  private void take(Role role, String option) throws InputException {
    int plus = role == Role.TIME && !names.contains(option) ? option.indexOf('+') : -1;
    if (plus > 0) {
      take(Role.CLOCK, find(Role.CLOCK, option.substring(plus + 1)), option);
      take(role, find(role, option.substring(0, plus)), option);
    } else {
      take(role, find(role, option), option);
    }
  }

  private void take(Role role, int column, String option) throws InputException {
    boolean isSign = role == Role.SIDE && has(Role.VOLUME) && column(Role.VOLUME) == column;
    if (!taken.add(column) && !isSign) {
      throw refused("column must have one role", "--" + option(role), option);
    }
    put(role, column);
  }

  private static Role option(Role role) {
    return role == Role.CLOCK ? Role.TIME : role;
  }

  /** A column by the name that an option gives, or by its number from 1. */
  private int find(Role role, String option) throws InputException {
    if (names.contains(option)) {
      return unique(option, List.of(option));
    }
    for (int i = 0; i < names.size(); i++) {
      if (names.get(i).equalsIgnoreCase(option) || String.valueOf(i + 1).equals(option)) {
        return i;
      }
    }
    throw refused("column must be one of " + String.join(",", names), "--" + option(role), option);
  }

  // ---- columns by names ----

  /** A role's column that has the most telling name; -1 if there is none. */
  private int usual(Role role) throws InputException {
    boolean isOption = Role.OPTIONS.contains(role);
    for (String usual : role.names()) {
      List<String> alike = free(usual::equals);
      if (usual.length() > 1 || (alike.isEmpty() && isOption)) { // m and M are two columns
        alike = free(name -> usual.equals(plain(name)));
      }
      if (isOption && !alike.isEmpty()) {
        return unique(alike.getFirst(), alike);
      }
      if (alike.size() == 1) {
        return names.indexOf(alike.getFirst());
      }
    }
    return -1;
  }

  /** Names like this of columns that no option has taken. */
  private List<String> free(Predicate<String> isAlike) {
    return IntStream.range(0, names.size())
        .filter(i -> !taken.contains(i) && isAlike.test(names.get(i)))
        .mapToObj(names::get)
        .toList();
  }

  private int unique(String name, List<String> alike) throws InputException {
    if (alike.size() > 1 || names.indexOf(name) != names.lastIndexOf(name)) {
      throw refused("column must be given by its number: its name is there twice", "column", name);
    }
    return names.indexOf(name);
  }

  /**
   * Where a column has the day and another one the time of day, both make the time. They are known
   * by their names, or by what the first row has in them.
   */
  private void pairDayAndClock(boolean isChosen) {
    Integer clock = columns.remove(Role.CLOCK);
    if (isChosen) {
      if (clock != null && taken.contains(clock)) {
        columns.put(Role.CLOCK, clock);
      }
      return;
    }
    int day = freeColumn(i -> DAYS.contains(plain.get(i)));
    boolean isPair = day >= 0 && clock != null && clock != day;
    if (isPair && !TimeField.isWhole(value(clock)) && !TimeField.isDay(value(clock))) {
      columns.put(Role.TIME, day);
      put(Role.CLOCK, TimeField.isWhole(value(day)) ? -1 : clock);
    } else if (has(Role.TIME) && TimeField.isDay(value(Role.TIME))) {
      put(Role.CLOCK, freeColumn(i -> TimeField.isClock(value(i)) && !columns.containsValue(i)));
    }
  }

  private int freeColumn(IntPredicate test) {
    return IntStream.range(0, names.size())
        .filter(i -> !taken.contains(i) && test.test(i))
        .findFirst()
        .orElse(-1);
  }

  /** Finds the column that shows which rows are trades of the market, and what it has for them. */
  private String findType(boolean isDatabento) {
    int type = freeColumn(i -> plain.get(i).equals("type"));
    int action = freeColumn(i -> plain.get(i).equals("action"));
    if (type >= 0 && plain.containsAll(BINANCE)) {
      columns.put(Role.TYPE, type);
      return "MARKET";
    }
    if (action >= 0 && isDatabento) {
      columns.put(Role.TYPE, action);
      return "T";
    }
    if (type >= 0 && !bars && Set.of("buy", "sell").contains(plain(value(type)))) {
      columns.putIfAbsent(Role.SIDE, type); // Gemini
    }
    return "";
  }

  /** Whether sold volumes are negative, by an option, as Bitfinex has them, or by the first one. */
  private boolean findSign() {
    boolean isSigned =
        plain.containsAll(List.of("mts", "amount", "price"))
            || (DecimalField.isNumber(value(Role.VOLUME)) && isNegative(value(Role.VOLUME)));
    if (!has(Role.SIDE) && isSigned) {
      columns.put(Role.SIDE, column(Role.VOLUME));
    }
    return has(Role.SIDE) && column(Role.SIDE) == column(Role.VOLUME);
  }

  static boolean isNegative(String number) {
    return number.stripLeading().startsWith("-");
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

  private static boolean isLongWhole(String value) {
    return value.strip().matches("\\d{" + DATABENTO_DIGITS + ",}");
  }

  /** The name without what names differ in: case, underscores, a translation behind a slash. */
  private static String plain(String name) {
    return name.replaceFirst("(?<=.)/.*", "").toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
  }
}
