package dev.millrace.ohlcv.input;

import java.io.Closeable;
import java.io.IOException;

/** Rows, whatever the file's format; the first may have the columns' names. */
interface Rows extends Closeable {
  /** Reads a row; null at the end. */
  Row read() throws IOException, InterruptedException;

  /** Whether the next row is likely to be there already; true where that is not known. */
  default boolean isReady() throws IOException {
    return true;
  }
}
