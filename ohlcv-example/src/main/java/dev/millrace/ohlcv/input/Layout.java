package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.input.ReadOptions.Role;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What the columns of a file are for, as its header tells: one of the layouts known, or a guess by
 * the names that exchanges use.
 *
 * @param name for the summary
 * @param columns the column of each role that there is, by name
 * @param unit of numbers of time, or null if the first number is to tell
 * @param sideIsMaker whether the side column tells the maker's side
 * @param typeColumn only trades whose value here is {@code MARKET} belong in candles; or null
 * @param firstId with {@code lastId}: a row stands for the trades of these numbers; or null
 * @param lastId see there
 * @param bars whether a row is a day's open, high, low and close instead of a trade
 */
record Layout(
    String name,
    Map<Role, String> columns,
    EpochUnit unit,
    boolean sideIsMaker,
    String typeColumn,
    String firstId,
    String lastId,
    boolean bars) {
  /** The names in use, most telling first, in lower case and without anything but letters. */
  private static final Map<Role, List<String>> GUESSES =
      Map.of(
          Role.TIME,
          List.of(
              ("tradetimens tradetimeus tradetimems tradetime transacttime transactiontime"
                      + " exectime executiontime exchangetimestamp timeexchange timestampns"
                      + " timestampus timestampms createtimems timestamp time ts tsevent timems"
                      + " createdtime createdat createtime creationtime filltime datetime date"
                      + " unixtimestamp unixtime unix epoch eventtime eventtimems")
                  .split(" ")),
          Role.PRICE,
          List.of("price px tradeprice priceusd lastprice execprice fillprice rate p".split(" ")),
          Role.VOLUME,
          List.of(
              ("qty quantity size sz amount volume vol tradesize tradeqty tradevolume tradeamount"
                      + " baseqty baseamount basevolume execqty fillsize lastqty v q")
                  .split(" ")),
          Role.SIDE,
          List.of(
              ("side takerside aggressorside aggressor direction tradeside orderside makerside"
                   + " isbuyermaker buyerismaker isbuyerthemaker buyermaker takerbuy isbuy issell"
                   + " sell tradetype")
                  .split(" ")),
          Role.SYMBOL,
          List.of(
              ("symbol ticker instrumentname instid instrumentid instrument symbolid productid"
                      + " currencypair tradingpair pair contract")
                  .split(" ")));

  private static final Set<String> BAR_COLUMNS =
      Set.of("date", "open", "high", "low", "close", "volume");

  /** Tells a layout from the names and, where these leave it open, from the first row. */
  static Layout of(List<String> names, List<String> firstValues) {
    if (names.isEmpty()) {
      return ofValues(firstValues);
    }
    Set<String> set = new HashSet<>(names);
    if (set.containsAll(words("exchange symbol timestamp local_timestamp id side price amount"))) {
      return known("Tardis trades", "timestamp", "price", "amount", "side", "symbol")
          .in(EpochUnit.US);
    }
    if (set.containsAll(words("trade_time_ms price qty buyer_is_maker type"))) {
      return known("Binance trades", "trade_time_ms", "price", "qty", "buyer_is_maker", null)
          .in(EpochUnit.MS)
          .onlyMarket("type");
    }
    if (set.containsAll(words("id price qty quote_qty time is_buyer_maker"))) {
      return known("Binance Vision trades", "time", "price", "qty", "is_buyer_maker", null);
    }
    if (set.containsAll(words("first_trade_id last_trade_id transact_time is_buyer_maker price"))) {
      return known(
              "Binance Vision aggTrades",
              "transact_time",
              "price",
              set.contains("quantity") ? "quantity" : "qty",
              "is_buyer_maker",
              null)
          .aggregating("first_trade_id", "last_trade_id");
    }
    if (set.containsAll(words("p q T m"))) {
      Layout stream = known("Binance API", "T", "p", "q", "m", set.contains("s") ? "s" : null);
      stream = set.contains("X") ? stream.onlyMarket("X") : stream;
      return set.containsAll(words("f l")) ? stream.aggregating("f", "l") : stream;
    }
    if (set.equals(words("trade_id side size price time"))) {
      return known("Coinbase trades", "time", "price", "size", "side", null).ofMaker();
    }
    if (names.equals(List.of("timestamp", "price", "amount"))) {
      return known("Bitstamp trades", "timestamp", "price", "amount", null, null);
    }
    if (names.equals(JsonRows.KRAKEN) || names.equals(JsonRows.KRAKEN.subList(0, 6))) {
      return known("Kraken trades", "time", "price", "volume", "side", null);
    }
    return guess(names, firstValues);
  }

  private static Layout guess(List<String> names, List<String> firstValues) {
    Map<Role, String> columns = new EnumMap<>(Role.class);
    for (Role role : Role.values()) {
      String best = null;
      int bestRank = Integer.MAX_VALUE;
      for (String name : names) {
        int rank = GUESSES.get(role).indexOf(plain(name));
        if (rank >= 0 && rank < bestRank) {
          best = name;
          bestRank = rank;
        }
      }
      if (best != null) {
        columns.put(role, best);
      }
    }
    Set<String> plainNames = new HashSet<>();
    names.forEach(name -> plainNames.add(plain(name)));
    if (plainNames.containsAll(BAR_COLUMNS) && !columns.containsKey(Role.PRICE)) {
      return new Layout("daily bars", columns, null, false, null, null, null, true);
    }
    int type = names.indexOf("type");
    if (!columns.containsKey(Role.SIDE)
        && type >= 0
        && type < firstValues.size()
        && SideField.isSide(firstValues.get(type))) {
      columns.put(Role.SIDE, "type");
    }
    String side = columns.get(Role.SIDE);
    boolean maker = side != null && isOpposite(side);
    return new Layout("trades by column names", columns, null, maker, null, null, null, false);
  }

  /** Layouts of files that come without names; their columns are called by number. */
  private static Layout ofValues(List<String> values) {
    StringBuilder shape = new StringBuilder();
    DecimalField number = new DecimalField();
    for (String value : values) {
      boolean flag = value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false");
      shape.append(
          number.isNumber(value) ? 'n' : flag ? 'b' : TimeField.isWritten(value) ? 't' : '?');
    }
    return switch (shape.toString()) {
      case "nnn", "tnn" -> known("time, price, volume", "1", "2", "3", null, null);
      case "nnnnnb", "nnnnnbb" ->
          known("Binance Vision trades", "5", "2", "3", "6", null).ofMaker();
      case "nnnnnnb", "nnnnnnbb" ->
          known("Binance Vision aggTrades", "6", "2", "3", "7", null)
              .ofMaker()
              .aggregating("4", "5");
      default -> new Layout("columns by number", Map.of(), null, false, null, null, null, false);
    };
  }

  private static Layout known(
      String name, String time, String price, String volume, String side, String symbol) {
    Map<Role, String> columns = new EnumMap<>(Role.class);
    columns.put(Role.TIME, time);
    columns.put(Role.PRICE, price);
    columns.put(Role.VOLUME, volume);
    if (side != null) {
      columns.put(Role.SIDE, side);
    }
    if (symbol != null) {
      columns.put(Role.SYMBOL, symbol);
    }
    boolean maker = side != null && (isOpposite(side) || side.equals("m"));
    return new Layout(name, columns, null, maker, null, null, null, false);
  }

  private Layout in(EpochUnit fixed) {
    return new Layout(name, columns, fixed, sideIsMaker, typeColumn, firstId, lastId, bars);
  }

  private Layout onlyMarket(String column) {
    return new Layout(name, columns, unit, sideIsMaker, column, firstId, lastId, bars);
  }

  private Layout ofMaker() {
    return new Layout(name, columns, unit, true, typeColumn, firstId, lastId, bars);
  }

  private Layout aggregating(String first, String last) {
    return new Layout(name, columns, unit, sideIsMaker, typeColumn, first, last, bars);
  }

  /** Whether a column of this name, if true or a buy, tells that the taker sold. */
  static boolean isOpposite(String name) {
    String plain = plain(name);
    return plain.contains("maker") || plain.equals("sell") || plain.equals("issell");
  }

  /** The name without what names differ in: case, underscores, a translation behind a slash. */
  static String plain(String name) {
    int slash = name.indexOf('/');
    String first = slash > 0 ? name.substring(0, slash) : name;
    return first.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
  }

  private static Set<String> words(String text) {
    return Set.of(text.split(" "));
  }
}
