package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.Decimals;
import dev.millrace.ohlcv.candle.Side;
import dev.millrace.ohlcv.candle.Symbols;
import dev.millrace.ohlcv.candle.TradeRow;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Turns rows of text into trades, in the order of the file. */
final class TradeParser {
  private static final int MAX_ID_DIGITS = 18;

  /** What Databento writes where there is no price, as an integer and with its point. */
  private static final BigDecimal NO_PRICE = BigDecimal.valueOf(Long.MAX_VALUE);

  private static final BigDecimal NO_PRICE_IN_UNITS = BigDecimal.valueOf(Long.MAX_VALUE, 9);

  private final Layout layout;
  private final Symbols symbols;
  private final TimeField times = new TimeField();
  private final Map<Integer, BitSet> daysSeen = new HashMap<>(); // of bars, by symbol

  TradeParser(Layout layout, Symbols symbols) {
    this.layout = layout;
    this.symbols = symbols;
  }

  /**
   * Parses a row, field by field in the order in which they are judged.
   *
   * @return its trade; of a daily bar four of one time, of which the last has volume and count;
   *     none if the row belongs in no candle
   */
  List<TradeRow> parse(Row row) throws BadRowException {
    if (row.problem() != null) {
      throw row.problem();
    }
    if (row.trade() != null) {
      int symbol = symbols.number(row.fields().getFirst());
      return List.of(TradeRow.of(row.trade(), row.line(), symbol));
    }
    if (!layout.hasWidth(row.fields())) {
      throw new BadRowException(
          "row",
          "must have " + layout.width() + " fields as the first row",
          row.fields().size() + " fields");
    }
    if (layout.has(Role.TYPE) && !text(row, Role.TYPE).equals(layout.market)) {
      return List.of();
    }
    long time = time(row);
    List<BigDecimal> prices = new ArrayList<>(1);
    for (int column : layout.prices) {
      prices.add(price(layout.name(column), row.fields().get(column)));
    }
    checkRange(row, prices);
    BigDecimal volume = volume(row);
    Side side = layout.has(Role.SIDE) ? side(row) : Side.UNKNOWN;
    checkSign(row, side);
    boolean isSummed = layout.has(Role.FIRST_ID) && layout.has(Role.LAST_ID);
    int count = isSummed ? tradeCount(row) : 1;
    int symbol = symbol(row, time);
    List<TradeRow> trades = new ArrayList<>(prices.size());
    for (BigDecimal price : prices) {
      boolean isLast = trades.size() == prices.size() - 1;
      BigDecimal amount = isLast ? volume : BigDecimal.ZERO;
      trades.add(
          new TradeRow(
              row.line(),
              symbol,
              time,
              Decimals.unscaled(price),
              price.scale(),
              Decimals.unscaled(amount),
              amount.scale(),
              side,
              isLast ? count : 0));
    }
    return trades;
  }

  /** The trade's number among those of its symbol; -1 if the row tells none. */
  long id(Row row) {
    String digits = layout.has(Role.ID) ? text(row, Role.ID) : "";
    long id = digits.isEmpty() || digits.length() > MAX_ID_DIGITS ? -1 : 0;
    for (int i = 0; i < digits.length() && id >= 0; i++) {
      int digit = digits.charAt(i) - '0';
      id = digit < 0 || digit > 9 ? -1 : id * 10 + digit;
    }
    return id;
  }

  private String text(Row row, Role role) {
    return row.fields().get(layout.column(role));
  }

  private long time(Row row) throws BadRowException {
    String name = layout.name(Role.TIME);
    String time = text(row, Role.TIME);
    return layout.has(Role.CLOCK)
        ? times.nanos(name, time, layout.name(Role.CLOCK), text(row, Role.CLOCK), layout.bars)
        : times.nanos(name, time, layout.bars);
  }

  private BigDecimal price(String field, String text) throws BadRowException {
    BigDecimal price = DecimalField.readPositive(field, text);
    boolean isLong = price.precision() == NO_PRICE.precision(); // seldom: it is compared slowly
    if (isLong && (price.compareTo(NO_PRICE) == 0 || price.compareTo(NO_PRICE_IN_UNITS) == 0)) {
      throw new BadRowException(field, "must be a price: this number stands for none", text);
    }
    if (layout.priceScale == 0) {
      return price;
    }
    if (price.scale() > 0) {
      throw new BadRowException(field, "must have no point, as the first one", text);
    }
    return Decimals.shortest(price.movePointLeft(layout.priceScale));
  }

  private BigDecimal volume(Row row) throws BadRowException {
    String field = layout.name(Role.VOLUME);
    String text = text(row, Role.VOLUME);
    boolean isSale = layout.has(Role.SIDE) && isSale(text); // of another side is refused later
    if (!layout.has(Role.SIDE) && !layout.bars && isSale(text)) {
      throw new BadRowException(
          field,
          "must be a decimal not below 0 (if its sign is the side, add --side " + field + ")",
          text);
    }
    return DecimalField.readNotNegative(field, isSale ? text.strip().substring(1) : text);
  }

  /** A volume below 0 is that of a sale. */
  private void checkSign(Row row, Side side) throws BadRowException {
    String text = text(row, Role.VOLUME);
    if (side != Side.TAKER_SOLD && layout.has(Role.SIDE) && isSale(text)) {
      throw new BadRowException(layout.name(Role.VOLUME), "must be a decimal not below 0", text);
    }
  }

  private static boolean isSale(String volume) {
    return Layout.isNegative(volume) && DecimalField.isNumber(volume);
  }

  /** A bad row gives no number to a new symbol, so this comes last. */
  private int symbol(Row row, long time) throws BadRowException {
    String name = layout.has(Role.SYMBOL) ? text(row, Role.SYMBOL) : "";
    if (layout.has(Role.SYMBOL) && name.isBlank()) {
      throw new BadRowException(layout.name(Role.SYMBOL), "must not be empty", name);
    }
    if (layout.has(Role.SYMBOL) && layout.has(Role.SUFFIX)) {
      name = (name.strip() + ' ' + text(row, Role.SUFFIX)).strip();
    }
    int symbol = symbols.number(name);
    if (layout.bars) {
      BitSet seen = daysSeen.computeIfAbsent(symbol, _ -> new BitSet());
      int day = (int) TimeUnit.NANOSECONDS.toDays(time);
      if (seen.get(day)) {
        throw new BadRowException(
            layout.name(Role.TIME), "must be there once for each symbol", text(row, Role.TIME));
      }
      seen.set(day);
    }
    return symbol;
  }

  /** Of a bar's four prices none is outside low..high. */
  private void checkRange(Row row, List<BigDecimal> prices) throws BadRowException {
    for (int i = 0; i < prices.size() && layout.bars; i++) {
      BigDecimal high = prices.get(1);
      BigDecimal low = prices.get(2);
      if (prices.get(i).compareTo(low) < 0 || prices.get(i).compareTo(high) > 0) {
        int column = layout.prices.get(i);
        throw new BadRowException(
            layout.name(column),
            "must be in the day's low..high %s..%s".formatted(low, high),
            row.fields().get(column));
      }
    }
  }

  /** In a column about the maker, words mean the opposite: if it bought, the taker sold. */
  private Side side(Row row) throws BadRowException {
    String text = text(row, Role.SIDE);
    if (layout.sideIsSign) {
      return isSale(text) ? Side.TAKER_SOLD : Side.TAKER_BOUGHT;
    }
    Side side = layout.sideIsFlag ? flagOrNull(text) : sideOrNull(text);
    if (side == null) {
      throw new BadRowException(layout.name(Role.SIDE), "must be buy, sell, true or false", text);
    }
    if (!layout.sideIsMaker || side == Side.UNKNOWN) {
      return side;
    }
    return side == Side.TAKER_BOUGHT ? Side.TAKER_SOLD : Side.TAKER_BOUGHT;
  }

  /** A venue's 1 may be a sale if its other number is 0 or 2, so these are not read. */
  private static Side sideOrNull(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "buy", "b", "bid", "true", "1", "+1", "buy_estimated" -> Side.TAKER_BOUGHT;
      case "sell", "s", "ask", "a", "false", "-1", "sell_estimated" -> Side.TAKER_SOLD;
      case "unknown", "none", "n", "unknown_order_side" -> Side.UNKNOWN;
      default -> null;
    };
  }

  /** In a column that is true or false 1 and 0 are, too. */
  private static Side flagOrNull(String text) {
    return switch (text.strip()) {
      case "1" -> Side.TAKER_BOUGHT;
      case "0" -> Side.TAKER_SOLD;
      case "-1", "+1" -> null;
      default -> sideOrNull(text);
    };
  }

  private int tradeCount(Row row) throws BadRowException {
    String first = text(row, Role.FIRST_ID);
    String last = text(row, Role.LAST_ID);
    try {
      long more = Long.parseLong(last.strip()) - Long.parseLong(first.strip());
      if (more >= 0 && more < Integer.MAX_VALUE) {
        return (int) more + 1;
      }
    } catch (NumberFormatException e) {
      // refused below, as any other pair of numbers that cannot be
    }
    throw new BadRowException(
        layout.name(Role.LAST_ID),
        "must be a number not below " + layout.name(Role.FIRST_ID) + " " + first,
        last);
  }
}
