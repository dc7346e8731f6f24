package dev.millrace.ohlcv.input;

import java.io.IOException;

/** Input that cannot be used; the message is one line for the user. */
public final class InputException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean isOfRow;

  InputException(String message) {
    this(message, false);
  }

  /**
   * Words what is wrong.
   *
   * @param isOfRow whether it is of a row that could be left out
   */
  public InputException(String message, boolean isOfRow) {
    super(message);
    this.isOfRow = isOfRow;
  }

  /** Whether it is of a row that could be left out. */
  public boolean isOfRow() {
    return isOfRow;
  }
}
