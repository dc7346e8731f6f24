package dev.millrace.bench.articles;

import org.agrona.collections.Int2IntHashMap;

/** What the stages do with a trade, the same for both sides. It allocates nothing. */
final class ArticleParser {
  private static final Int2IntHashMap VENUE_CODES = new Int2IntHashMap(0);

  static {
    for (int i = 0; i < ArticleTrades.VENUES.length; i++) {
      int packed = 0;
      for (char letter : ArticleTrades.VENUES[i].toCharArray()) {
        packed = packed << 8 | letter;
      }
      VENUE_CODES.put(packed, 101 + i);
    }
  }

  private byte[] text;
  private int at;

  // of the line that was parsed last
  long symbol;
  long cents;
  int size;
  int venue;

  // ---- parse ----

  /** Parses a line. */
  void parse(byte[] line, int length) {
    text = line;
    at = 2; // behind the kind
    symbol = packed();
    cents = number();
    size = (int) number();
    venue = (int) packed();
    if (at >= length) {
      throw new IllegalArgumentException("line must have a side: length=" + length);
    }
  }

  private long packed() {
    long letters = 0;
    while (text[at] != '|') {
      letters = letters << 8 | text[at++];
    }
    at++;
    return letters;
  }

  /** Digits, and a point if there is one passed over. */
  private long number() {
    long value = 0;
    while (text[at] != '|') {
      if (text[at] != '.') {
        value = 10 * value + text[at] - '0';
      }
      at++;
    }
    at++;
    return value;
  }

  // ---- enrich ----

  static long notional(long cents, int size) {
    return cents * size;
  }

  /** The code of a venue; 0 if it is not known. */
  static int venueCode(int venue) {
    return VENUE_CODES.get(venue);
  }
}
