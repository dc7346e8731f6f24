package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.Side;
import dev.millrace.ohlcv.input.ReadOptions.Role;
import dev.millrace.ohlcv.input.RowFormat.Field;
import java.math.BigDecimal;
import java.util.Locale;

/**
 * Turns the text of rows into numbers. Needs no row but the one in hand and keeps nothing, so that
 * several threads may share a file's rows; what rows have to do with each other is {@link
 * TradeReader}'s.
 */
final class RowParser {
  private static final String MARKET = "MARKET";
  private static final int HIGH = 1;
  private static final int LOW = 2;

  private final RowFormat format;

  RowParser(RowFormat format) {
    this.format = format;
  }

  /** Parses a row; a problem becomes part of what is parsed. */
  ParsedRow parse(Row row) {
    ParsedRow parsed = new ParsedRow(row.line());
    try {
      parsed.use = use(row);
      if (parsed.use == ParsedRow.Use.IN_CANDLES) {
        parse(row, parsed);
      }
    } catch (BadRowException e) {
      parsed.problem = e;
    }
    return parsed;
  }

  private ParsedRow.Use use(Row row) throws BadRowException {
    if (row.problem() != null) {
      throw row.problem();
    }
    if (row.fields().size() != format.width) {
      throw new BadRowException(
          "row",
          "must have " + format.width + " fields as the first row",
          row.fields().size() + " fields");
    }
    for (RowFormat.Kept condition : format.kept) {
      if (!condition.values().contains(condition.field().text(row))) {
        return ParsedRow.Use.NOT_KEPT;
      }
    }
    boolean isMarket = !format.has(Role.TYPE) || format.field(Role.TYPE).text(row).equals(MARKET);
    return isMarket ? ParsedRow.Use.IN_CANDLES : ParsedRow.Use.LEFT_OUT;
  }

  /** Field by field in the order in which they are judged. */
  private void parse(Row row, ParsedRow parsed) throws BadRowException {
    parsed.symbol = format.has(Role.SYMBOL) ? format.field(Role.SYMBOL).text(row) : null;
    Field time = format.field(Role.TIME);
    parsed.time =
        format.bars
            ? TimeField.readDay(time.name(), time.text(row))
            : TimeField.read(time.name(), time.text(row));
    for (Field price : format.prices) {
      parsed.prices.add(DecimalField.readPositive(price.name(), price.text(row)));
    }
    if (format.bars) {
      checkRange(row, parsed);
    }
    Field volume = format.field(Role.VOLUME);
    parsed.volume = DecimalField.readNotNegative(volume.name(), volume.text(row));
    if (!format.bars && format.has(Role.SIDE)) {
      parsed.side = side(row);
    }
    if (format.has(Role.FIRST_ID) && format.has(Role.LAST_ID)) {
      parsed.trades = tradeCount(row);
    }
    if (parsed.symbol != null && parsed.symbol.isBlank()) {
      throw new BadRowException(
          format.field(Role.SYMBOL).name(), "must not be empty", parsed.symbol);
    }
  }

  private void checkRange(Row row, ParsedRow parsed) throws BadRowException {
    BigDecimal low = parsed.prices.get(LOW);
    BigDecimal high = parsed.prices.get(HIGH);
    for (Field field : format.prices) {
      BigDecimal price = parsed.prices.get(format.prices.indexOf(field));
      if (price.compareTo(low) < 0 || price.compareTo(high) > 0) {
        String range = format.prices.get(LOW).text(row) + ".." + format.prices.get(HIGH).text(row);
        throw new BadRowException(
            field.name(), "must be in the day's low..high " + range, field.text(row));
      }
    }
  }

  /** In a column about the maker, words mean the opposite: if it bought, the taker sold. */
  private Side side(Row row) throws BadRowException {
    Field field = format.field(Role.SIDE);
    Side side = sideOrNull(field.text(row));
    if (side == null) {
      throw new BadRowException(field.name(), "must be buy, sell, true or false", field.text(row));
    }
    if (!format.sideIsMaker || side == Side.UNKNOWN) {
      return side;
    }
    return side == Side.TAKER_BOUGHT ? Side.TAKER_SOLD : Side.TAKER_BOUGHT;
  }

  static boolean isSide(String text) {
    return sideOrNull(text) != null;
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
    Field first = format.field(Role.FIRST_ID);
    Field last = format.field(Role.LAST_ID);
    try {
      long more = Long.parseLong(last.text(row).strip()) - Long.parseLong(first.text(row).strip());
      if (more >= 0 && more < Integer.MAX_VALUE) {
        return (int) more + 1;
      }
    } catch (NumberFormatException e) {
      // refused below, as any other pair of numbers that cannot be
    }
    throw new BadRowException(
        last.name(),
        "must be a number not below " + first.name() + " " + first.text(row),
        last.text(row));
  }
}
