package dev.millrace.ohlcv.input;

/** Input that cannot be used; the message is one line for the user. */
public final class InputException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Makes one for a whole file or for one of its lines. */
  public InputException(String message) {
    super(message);
  }
}
