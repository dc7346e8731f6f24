package dev.millrace.ohlcv.candle;

/** Why an engine places a trade in no candle, in words. */
public final class Refusal {
  /** It came too late. */
  public static final String LATE = "time must be in the window of open candles: it is older";

  private static final String OF_SUM = "sum of a candle must fit 128 bits: sum=";
  private static final String OF_VOLUME = OF_SUM + "volume";
  private static final String OF_QUOTE_VOLUME = OF_SUM + "quote_volume";

  private Refusal() {}

  /**
   * A sum of its candle would not fit.
   *
   * @param field which sum
   * @return the rule and the field
   */
  public static String ofSum(String field) {
    return field.equals("volume") ? OF_VOLUME : OF_QUOTE_VOLUME;
  }
}
