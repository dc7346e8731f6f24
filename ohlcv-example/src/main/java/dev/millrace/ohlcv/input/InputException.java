package dev.millrace.ohlcv.input;

/** Input that cannot be used; the message is one line for the user. */
public final class InputException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean isOfRow;

  /** Makes one for a whole file, or for a line without which the others mean nothing. */
  public InputException(String message) {
    this(message, false);
  }

  InputException(String message, boolean isOfRow) {
    super(message);
    this.isOfRow = isOfRow;
  }

  /** Whether it is of a row that could be left out. */
  public boolean isOfRow() {
    return isOfRow;
  }
}
