package dev.millrace.ohlcv.input;

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
  private static final String MARKET = "MARKET";

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
    if (row.fields().size() != layout.width()) {
      throw new BadRowException(
          "row",
          "must have " + layout.width() + " fields as the first row",
          row.fields().size() + " fields");
    }
    if (layout.has(Role.TYPE) && !text(row, Role.TYPE).equals(MARKET)) {
      return List.of();
    }
    long time = times.nanos(layout.name(Role.TIME), text(row, Role.TIME), layout.bars);
    List<BigDecimal> prices = new ArrayList<>(1);
    for (int column : layout.prices) {
      prices.add(DecimalField.readPositive(layout.name(column), row.fields().get(column)));
    }
    checkRange(row, prices);
    BigDecimal volume =
        DecimalField.readNotNegative(layout.name(Role.VOLUME), text(row, Role.VOLUME));
    Side side = layout.has(Role.SIDE) ? side(row) : Side.UNKNOWN;
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
              price.unscaledValue().longValue(),
              price.scale(),
              amount.unscaledValue().longValue(),
              amount.scale(),
              side,
              isLast ? count : 0));
    }
    return trades;
  }

  static boolean isSide(String text) {
    return sideOrNull(text) != null;
  }

  private String text(Row row, Role role) {
    return row.fields().get(layout.column(role));
  }

  /** A bad row gives no number to a new symbol, so this comes last. */
  private int symbol(Row row, long time) throws BadRowException {
    String name = layout.has(Role.SYMBOL) ? text(row, Role.SYMBOL) : "";
    if (layout.has(Role.SYMBOL) && name.isBlank()) {
      throw new BadRowException(layout.name(Role.SYMBOL), "must not be empty", name);
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
    Side side = sideOrNull(text(row, Role.SIDE));
    if (side == null) {
      throw new BadRowException(
          layout.name(Role.SIDE), "must be buy, sell, true or false", text(row, Role.SIDE));
    }
    if (!layout.sideIsMaker || side == Side.UNKNOWN) {
      return side;
    }
    return side == Side.TAKER_BOUGHT ? Side.TAKER_SOLD : Side.TAKER_BOUGHT;
  }

  private static Side sideOrNull(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "buy", "b", "bid", "true" -> Side.TAKER_BOUGHT;
      case "sell", "s", "ask", "a", "false" -> Side.TAKER_SOLD;
      case "unknown", "none", "n" -> Side.UNKNOWN;
      default -> null;
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
