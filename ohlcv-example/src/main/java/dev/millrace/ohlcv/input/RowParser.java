package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.Side;

/**
 * Turns the text of rows into numbers. Needs no row but the one in hand, so that several parsers
 * may share a file's rows; what rows have to do with each other is {@link RowValidator}'s.
 *
 * <p><b>Roles.</b> One thread each.
 */
final class RowParser {
  private static final String MARKET = "MARKET";

  private final RowFormat format;
  private final Columns columns;
  private final TimeField times;
  private final SideField sides;
  private final DecimalField number = new DecimalField();

  RowParser(RowFormat format) {
    this.format = format;
    this.columns = format.columns;
    this.times = new TimeField(format.timeUnit);
    this.sides = new SideField(format.sideIsMaker);
  }

  /** Parses a row; a problem becomes part of what is parsed. */
  void parse(Row row, ParsedRow parsed) {
    parsed.begin(row.line());
    try {
      parsed.use = use(row);
      if (parsed.use == ParsedRow.Use.IN_CANDLES) {
        parseTime(row, parsed);
        if (format.bars) {
          parseBar(row, parsed);
        } else {
          parseTrade(row, parsed);
        }
        parsed.symbol = symbol(row);
      }
    } catch (BadRowException e) {
      parsed.problem = e;
      boolean isThere = format.symbol != Columns.NONE && row.fieldCount() == format.width;
      parsed.symbol = isThere ? row.field(format.symbol) : null;
    }
  }

  private ParsedRow.Use use(Row row) throws BadRowException {
    if (row.problem() != null) {
      throw row.problem();
    }
    if (row.fieldCount() != format.width) {
      throw new BadRowException(
          "row",
          "must have " + format.width + " fields as the first row",
          row.fieldCount() + " fields");
    }
    for (Columns.Kept condition : format.kept) {
      if (!condition.values().contains(row.field(condition.column()))) {
        return ParsedRow.Use.NOT_KEPT;
      }
    }
    boolean isMarket = format.type == Columns.NONE || row.field(format.type).equals(MARKET);
    return isMarket ? ParsedRow.Use.IN_CANDLES : ParsedRow.Use.LEFT_OUT;
  }

  private void parseTime(Row row, ParsedRow parsed) throws BadRowException {
    String name = columns.name(format.time);
    String text = row.field(format.time);
    parsed.timeNanos = format.bars ? times.parseDay(name, text) : times.parse(name, text);
    parsed.timeUnit = format.bars ? null : times.told();
    parsed.timeText = text;
    parsed.hasTime = true;
  }

  private void parseTrade(Row row, ParsedRow parsed) throws BadRowException {
    number.parsePositive(columns.name(format.price), row.field(format.price));
    parsed.trade.price(number.unscaled(), number.scale());
    parseVolume(row, parsed);
    int side = format.side;
    parsed.trade.side(
        side == Columns.NONE ? Side.UNKNOWN : sides.parse(columns.name(side), row.field(side)));
    parsed.trade.trades(format.firstId == Columns.NONE ? 1 : tradeCount(row));
  }

  private void parseBar(Row row, ParsedRow parsed) throws BadRowException {
    parsed.bar.read(row, columns, format.openHighLowClose);
    parseVolume(row, parsed);
  }

  private void parseVolume(Row row, ParsedRow parsed) throws BadRowException {
    number.parseNotNegative(columns.name(format.volume), row.field(format.volume));
    parsed.trade.volume(number.unscaled(), number.scale());
  }

  private String symbol(Row row) throws BadRowException {
    if (format.symbol == Columns.NONE) {
      return "";
    }
    String name = row.field(format.symbol);
    if (name.isBlank()) {
      throw new BadRowException(columns.name(format.symbol), "must not be empty", name);
    }
    return name;
  }

  private int tradeCount(Row row) throws BadRowException {
    try {
      long first = Long.parseLong(row.field(format.firstId).strip());
      long last = Long.parseLong(row.field(format.lastId).strip());
      if (last >= first && last - first < Integer.MAX_VALUE) {
        return (int) (last - first + 1);
      }
    } catch (NumberFormatException e) {
      // refused below, as any other pair of numbers that cannot be
    }
    throw new BadRowException(
        columns.name(format.lastId),
        "must be a number not below "
            + columns.name(format.firstId)
            + " "
            + row.field(format.firstId),
        row.field(format.lastId));
  }
}
