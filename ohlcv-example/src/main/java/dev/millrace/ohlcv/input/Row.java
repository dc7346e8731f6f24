package dev.millrace.ohlcv.input;

/** The fields of a row, as text. */
interface Row {
  /** Which line the row begins on, from 1. */
  long line();

  /** Why the row cannot be split into fields; null if it can. */
  BadRowException problem();

  /** How many fields the row has: as many as there are columns, or it is malformed. */
  int fieldCount();

  /** A field; empty if the row does not have it. */
  String field(int column);
}
