package dev.millrace.ohlcv.candle;

/** An engine has failed; the cause says why. */
public final class EngineException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Fails for this cause. */
  public EngineException(Throwable cause) {
    super("engine has failed: " + cause, cause);
  }
}
