package dev.millrace.bench.candles;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a client asks the server for: of two queries one for the newest hour, one for a time that is
 * over, which others ask for again.
 *
 * @param symbol its number
 * @param minutes how long a candle is
 * @param from the first minute since {@link LoadSettings#START_NANOS}
 * @param to the minute after the last; {@link #OPEN} where candles still change
 * @param limit how many candles at most
 */
record CandleQuery(int symbol, int minutes, int from, int to, int limit) {
  /** In place of a minute: up to the newest. */
  static final int OPEN = Integer.MAX_VALUE;

  private static final int HOUR = 60;
  private static final int QUARTER = 15;
  private static final int KINDS = 4;

  /**
   * The n-th of a run: each symbol in turn, and each kind.
   *
   * @param minute the newest
   */
  static CandleQuery of(long number, int symbols, int minute) {
    int symbol = (int) (number % symbols);
    int hour = minute / HOUR * HOUR;
    return switch ((int) (number / symbols % KINDS)) {
      case 0 -> new CandleQuery(symbol, 1, hour - HOUR, hour, HOUR);
      case 1 -> new CandleQuery(symbol, QUARTER, hour - 24 * HOUR, hour, 24 * HOUR / QUARTER);
      default -> new CandleQuery(symbol, 1, 0, OPEN, HOUR);
    };
  }

  /** A symbol's name as the server has it. */
  static String name(int symbol) {
    return "S" + symbol;
  }

  /** The request's target. */
  String target() {
    String what =
        "/candles?symbol=%s&interval=%dm&limit=%d".formatted(name(symbol), minutes, limit);
    return to == OPEN ? what : what + "&from=%d&to=%d".formatted(millis(from), millis(to) - 1);
  }

  private static long millis(int minute) {
    long start = TimeUnit.NANOSECONDS.toMillis(LoadSettings.START_NANOS);
    return start + TimeUnit.MINUTES.toMillis(minute);
  }

  /** What is right when the symbol has so many trades: the oldest first. */
  List<ScaledCandle> answer(Reference reference, int position) {
    List<ScaledCandle> candles = new ArrayList<>();
    int newest = Math.min(reference.newestMinute(symbol, position), to - 1);
    int minute = Math.floorDiv(newest, minutes) * minutes;
    for (; minute >= Math.max(from, 0) && candles.size() < limit; minute -= minutes) {
      ScaledCandle candle = reference.candle(symbol, minute, minutes, position);
      if (candle != null) {
        candles.add(candle);
      }
    }
    return candles.reversed();
  }
}
