package dev.millrace.ohlcv.input;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Rows of text fields under common column names, whatever the file's format. */
interface Rows extends Closeable {
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

  /** Which line the row begins on, from 1. */
  long line();

  /** How many fields the row has: as many as there are columns, or it is malformed. */
  int fieldCount();

  /** A field; empty if the row does not have it. */
  String field(int column);
}
