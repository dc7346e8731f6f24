package dev.millrace.ohlcv.candle;

/**
 * Looks on while trades go through an engine, in the engine's own threads: for telemetry. What is
 * not overridden looks at nothing.
 */
public interface EngineWatch {
  /** Looks at nothing. */
  EngineWatch NONE = new EngineWatch() {};

  /**
   * Hears that the feeding thread has a trade for the engine, which may have to wait for room.
   *
   * @param number from 1, of what is fed: a trade, or where there are stages an event
   */
  default void feeding(long number) {}

  /**
   * Makes what a thread tells that places trades.
   *
   * @return for that thread alone
   */
  default Placing newPlacing() {
    return (trade, reason) -> {};
  }

  /** What a thread that places trades tells. */
  @FunctionalInterface
  interface Placing extends Rejections {
    /**
     * Hears that what was fed has taken effect, or was found to have none.
     *
     * @param number its number
     */
    default void placed(long number) {}
  }
}
