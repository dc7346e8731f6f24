package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.Side;
import java.util.Locale;

/**
 * Reads who took a trade: {@code buy}, {@code b} or {@code bid} and {@code sell}, {@code s} or
 * {@code ask}, in any case; {@code true} and {@code false} for a column that asks whether the taker
 * bought; {@code unknown}. In a column about the maker all of these mean the opposite: if the buyer
 * was the maker, the taker sold.
 */
final class SideField {
  private final boolean maker;

  SideField(boolean maker) {
    this.maker = maker;
  }

  static boolean isSide(String text) {
    return side(text) != null;
  }

  Side parse(String field, String text) throws BadRowException {
    Side side = side(text);
    if (side == null) {
      throw new BadRowException(field, "must be buy, sell, true or false", text);
    }
    if (!maker || side == Side.UNKNOWN) {
      return side;
    }
    return side == Side.TAKER_BOUGHT ? Side.TAKER_SOLD : Side.TAKER_BOUGHT;
  }

  private static Side side(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "buy", "b", "bid", "true" -> Side.TAKER_BOUGHT;
      case "sell", "s", "ask", "a", "false" -> Side.TAKER_SOLD;
      case "unknown", "none", "n" -> Side.UNKNOWN;
      default -> null;
    };
  }
}
