package dev.millrace.ohlcv.serve;

import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.candle.Symbols;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Which candles are asked for.
 *
 * @param symbol the symbol's number
 * @param interval a multiple of the engine's
 * @param fromNanos the first time in them, in nanoseconds since 1970
 * @param toNanos the last time in them
 * @param limit how many at most: the newest
 * @param format how they are written
 */
record Query(
    int symbol, Interval interval, long fromNanos, long toNanos, int limit, Format format) {
  static final int MOST = 10_000;

  /** So early that there is no trade before; and so late that no time underflows. */
  static final long EARLIEST = Long.MIN_VALUE / 2;

  private static final int USUAL = 500;
  private static final Set<String> NAMES =
      Set.of("symbol", "interval", "from", "to", "limit", "format");
  static final long MILLI_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LAST_MILLI = Long.MAX_VALUE / 2 / MILLI_NANOS; // in 2116

  /** How an answer is written. */
  enum Format {
    JSON,
    CSV
  }

  /**
   * Reads the parameters of a request.
   *
   * @param parameters each with all its values
   * @param symbols those that can be asked for; the first if none is named
   * @param base the engine's interval
   */
  static Query parse(Map<String, List<String>> parameters, Symbols symbols, Interval base)
      throws BadRequestException {
    for (Map.Entry<String, List<String>> each : parameters.entrySet()) {
      String name = each.getKey();
      if (!NAMES.contains(name)) {
        throw new BadRequestException(
            "parameter", "must be symbol, interval, from, to, limit or format", name);
      }
      if (each.getValue().size() > 1) {
        throw new BadRequestException(name, "must be given once", each.getValue().toString());
      }
    }
    String symbol = first(parameters, "symbol", symbols.name(0));
    int number = symbols.numberIfKnown(symbol);
    if (number == Symbols.UNKNOWN) {
      throw new BadRequestException("symbol", "must be one of /symbols", symbol);
    }
    long from = time(parameters, "from", EARLIEST);
    long to = time(parameters, "to", Long.MAX_VALUE);
    if (from > to) {
      throw new BadRequestException("from", "must not be after to", first(parameters, "from", ""));
    }
    return new Query(
        number, interval(parameters, base), from, to, limit(parameters), format(parameters));
  }

  private static Interval interval(Map<String, List<String>> parameters, Interval base)
      throws BadRequestException {
    String text = first(parameters, "interval", base.text());
    try {
      Interval interval = Interval.parse(text);
      if (interval.isMultipleOf(base)) {
        return interval;
      }
    } catch (IllegalArgumentException e) {
      // the same rule says it
    }
    throw new BadRequestException(
        "interval", "must be a multiple of " + base + ", such as 15m, 1h or 1d", text);
  }

  private static int limit(Map<String, List<String>> parameters) throws BadRequestException {
    String text = first(parameters, "limit", Integer.toString(USUAL));
    if (text.matches("\\d{1,5}")) {
      int limit = Integer.parseInt(text);
      if (limit >= 1 && limit <= MOST) {
        return limit;
      }
    }
    throw new BadRequestException("limit", "must be in 1.." + MOST, text);
  }

  private static Format format(Map<String, List<String>> parameters) throws BadRequestException {
    String text = first(parameters, "format", "json");
    for (Format format : Format.values()) {
      if (format.name().toLowerCase(Locale.ROOT).equals(text)) {
        return format;
      }
    }
    throw new BadRequestException("format", "must be json or csv", text);
  }

  /** The newest candle of a symbol. */
  static Query newest(int symbol, Interval interval) {
    return new Query(symbol, interval, EARLIEST, Long.MAX_VALUE, 1, Format.JSON);
  }

  /** The same from another time on. */
  Query from(long nanos, int most) {
    return new Query(symbol, interval, nanos, toNanos, most, format);
  }

  /** When the last candle ends, where there is one. */
  long endNanos() {
    return interval.openTimeNanos(interval.bucket(toNanos) + 1);
  }

  private static long time(Map<String, List<String>> parameters, String name, long usual)
      throws BadRequestException {
    String text = first(parameters, name, null);
    if (text == null) {
      return usual;
    }
    try {
      long millis =
          text.matches("-?\\d{1,18}") ? Long.parseLong(text) : Instant.parse(text).toEpochMilli();
      if (Math.abs(millis) <= LAST_MILLI) {
        return millis * MILLI_NANOS;
      }
    } catch (DateTimeParseException | ArithmeticException e) {
      // the same rule says it
    }
    throw new BadRequestException(
        name, "must be milliseconds since 1970, or a time such as 2013-11-25T00:00:00Z", text);
  }

  private static String first(Map<String, List<String>> parameters, String name, String usual) {
    List<String> values = parameters.get(name);
    return values == null ? usual : values.getFirst();
  }
}
