package dev.millrace.ohlcv.candle;

/** Why an engine places a trade in no candle: the field, and the rule in words. */
public final class Refusal {
  static final String TIME = "time";
  static final String VOLUME = "volume";
  static final String QUOTE_VOLUME = "quote_volume";

  private Refusal() {}

  /**
   * The rule that a trade breaks.
   *
   * @param field the time, or which sum of its candle
   */
  public static String of(String field) {
    return field.equals(TIME)
        ? "time must be in the window of open candles: it is older"
        : "sum of a candle must fit 128 bits: sum=" + field;
  }
}
