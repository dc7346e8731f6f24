package dev.millrace.ohlcv.candle;

/** Looks on while trades go through an engine, in the engine's own threads: for telemetry. */
public interface EngineWatch {
  /** Looks at nothing. */
  EngineWatch NONE =
      new EngineWatch() {
        @Override
        public void feeding(long number) {}

        @Override
        public Placing newPlacing() {
          return Placing.NONE;
        }
      };

  /**
   * Hears that the feeding thread has a trade for the engine, which may have to wait for room.
   *
   * @param number from 1, of what is fed: a trade, or where there are stages an event
   */
  void feeding(long number);

  /**
   * Makes what a thread tells that places trades.
   *
   * @return for that thread alone
   */
  Placing newPlacing();

  /** What a thread that places trades tells. */
  interface Placing extends Rejections {
    /** Hears nothing. */
    Placing NONE =
        new Placing() {
          @Override
          public void placed(long number) {}

          @Override
          public void rejected(
              long line,
              int symbol,
              long price,
              int priceScale,
              long volume,
              int volumeScale,
              String reason) {}
        };

    /**
     * Hears that what was fed has taken effect, or was found to have none.
     *
     * @param number its number
     */
    void placed(long number);
  }
}
