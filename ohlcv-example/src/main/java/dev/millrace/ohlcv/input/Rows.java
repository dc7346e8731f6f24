package dev.millrace.ohlcv.input;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Rows of text fields under common column names, whatever the file's format. */
interface Rows extends Row, Closeable {
  /** The columns' names; empty if the file does not name them. */
  List<String> names();

  /** How many columns there are; 0 if there is not even a first row. */
  int width();

  /** Which line the first row is on, or that with the names. */
  long firstLine();

  /** The first row with values, without going to it; empty if there is none yet. */
  List<String> firstValues();

  /** Goes to the next row; false if there is none. */
  boolean next() throws IOException, InputException;
}
