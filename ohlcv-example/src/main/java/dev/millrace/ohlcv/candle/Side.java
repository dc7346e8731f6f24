package dev.millrace.ohlcv.candle;

/** Who took the trade: the side whose order met one that was waiting in the book. */
public enum Side {
  /** The venue does not say. */
  UNKNOWN,
  /** The buyer came to the book. */
  TAKER_BOUGHT,
  /** The seller came to the book. */
  TAKER_SOLD
}
