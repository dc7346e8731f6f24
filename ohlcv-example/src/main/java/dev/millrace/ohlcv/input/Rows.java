package dev.millrace.ohlcv.input;

import java.io.Closeable;
import java.io.IOException;

/** Rows, whatever the file's format; the first may have the columns' names. */
interface Rows extends Closeable {
  /** Reads a row; null at the end. */
  Row read() throws IOException;
}
