package dev.millrace.ohlcv.input;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Rows of text fields under common column names, whatever the file's format. */
abstract class Rows implements Closeable {
  /** How many bad rows may come before the first that shows what the columns hold. */
  private static final int MAX_AHEAD = 1_000;

  final String file;
  private final Deque<Row> ahead = new ArrayDeque<>();
  private List<String> names = List.of();
  private List<String> firstValues = List.of();
  private int width;
  private long firstLine = 1;

  Rows(String file) {
    this.file = file;
  }

  /** Reads a row, or the names of the columns; null at the end. */
  abstract Row read() throws IOException, InputException;

  /** The names, if that is what the first row has; else none. */
  abstract List<String> namesIn(Row first);

  /** Finds the columns. Bad rows may be skipped, but not the first: it would leave no columns. */
  final void readHeader() throws IOException, InputException {
    Row first = read();
    if (first == null) {
      return;
    }
    if (first.problem() != null) {
      throw new InputException(first.problem().message(file, first.line()));
    }
    width = first.fields().size();
    firstLine = first.line();
    names = namesIn(first);
    for (Row row = names.isEmpty() ? first : read(); row != null; row = read()) {
      ahead.add(row);
      firstValues = row.fields();
      if (row.problem() == null || ahead.size() == MAX_AHEAD) {
        return;
      }
    }
  }

  /** The next row; null if there is none. */
  final Row next() throws IOException, InputException {
    return ahead.isEmpty() ? read() : ahead.remove();
  }

  /** The columns' names; empty if the file does not name them. */
  final List<String> names() {
    return names;
  }

  /** How many columns there are; 0 if there is not even a first row. */
  final int width() {
    return width;
  }

  /** Which line the first row is on, or that with the names. */
  final long firstLine() {
    return firstLine;
  }

  /** The first row with values, without going to it; empty if there is none. */
  final List<String> firstValues() {
    return firstValues;
  }
}
