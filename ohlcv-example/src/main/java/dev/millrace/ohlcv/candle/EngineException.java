package dev.millrace.ohlcv.candle;

/** An engine's thread has failed; the cause says why. */
public final class EngineException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  EngineException(Throwable cause) {
    super("engine has failed: " + cause, cause);
  }
}
