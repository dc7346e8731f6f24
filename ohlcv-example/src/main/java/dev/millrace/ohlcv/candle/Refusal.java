package dev.millrace.ohlcv.candle;

/** Why an engine places a trade in no candle. */
public enum Refusal {
  /** It is older than the window. */
  LATE("time must be in the window of open candles: it is older"),
  /** The volume of its candle would be too large. */
  VOLUME("sum of a candle must fit 128 bits: sum=volume"),
  /** The quote volume of its candle would be too large. */
  QUOTE_VOLUME("sum of a candle must fit 128 bits: sum=quote_volume");

  private final String text;

  Refusal(String text) {
    this.text = text;
  }

  /** The rule that the trade breaks. */
  @Override
  public String toString() {
    return text;
  }
}
