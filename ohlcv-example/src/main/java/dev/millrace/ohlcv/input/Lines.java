package dev.millrace.ohlcv.input;

import java.io.Closeable;
import java.io.IOException;
import java.io.Reader;

/**
 * Reads a text line by line, of whichever line ends, and counts the lines. Unlike {@code
 * BufferedReader}, it limits their length: a file that has no line ends must not fill the heap.
 */
final class Lines implements Closeable {
  static final int MAX_CHARS = 1 << 20;

  private final String file;
  private final Reader reader;
  private char[] chars = new char[1 << 13];
  private int begin; // of what was not returned yet
  private int end;
  private boolean skipsLineFeed; // the line before ended with a carriage return
  private long number;

  Lines(String file, Reader reader) {
    this.file = file;
    this.reader = reader;
  }

  /** The number of the line that was returned last, from 1. */
  long number() {
    return number;
  }

  /** The next line without its line end; null if there is none. */
  String next() throws IOException, InputException {
    if (skipsLineFeed && (begin < end || fill()) && chars[begin] == '\n') {
      begin++;
    }
    skipsLineFeed = false;
    int length = 0;
    while (begin + length < end || fill()) {
      char c = chars[begin + length];
      if (c == '\n' || c == '\r') {
        skipsLineFeed = c == '\r';
        return take(length, 1);
      }
      length++;
    }
    return length == 0 ? null : take(length, 0);
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }

  private String take(int length, int lineEnd) {
    String line = new String(chars, begin, length);
    begin += length + lineEnd;
    number++;
    return line;
  }

  /** Reads on behind what was not returned yet; false at the end of the text. */
  private boolean fill() throws IOException, InputException {
    int length = end - begin;
    if (length == MAX_CHARS) {
      throw new InputException(
          file + ":" + (number + 1) + ": line must have at most " + MAX_CHARS + " characters");
    }
    char[] next = length == chars.length ? new char[2 * length] : chars;
    System.arraycopy(chars, begin, next, 0, length);
    chars = next;
    begin = 0;
    end = length;
    int read = reader.read(chars, end, chars.length - end);
    end += Math.max(read, 0);
    return read > 0;
  }
}
