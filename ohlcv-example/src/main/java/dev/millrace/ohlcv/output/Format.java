package dev.millrace.ohlcv.output;

import java.util.Locale;

/** How candles are written. */
public enum Format {
  /** For people. */
  TABLE,
  /** For spreadsheets. */
  CSV,
  /** For programs. */
  JSON;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
