package dev.millrace.ohlcv.candle;

/** Who took the trade: the side whose order met one that was waiting in the book. */
public enum Side {
  /** The venue does not say. */
  UNKNOWN(0),
  /** The buyer came to the book. */
  TAKER_BOUGHT(1),
  /** The seller came to the book. */
  TAKER_SOLD(2);

  private final byte code;

  Side(int code) {
    this.code = (byte) code;
  }

  /** As it is stored in a record. */
  byte code() {
    return code;
  }

  static Side of(byte code) {
    return switch (code) {
      case 1 -> TAKER_BOUGHT;
      case 2 -> TAKER_SOLD;
      default -> UNKNOWN;
    };
  }
}
