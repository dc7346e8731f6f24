package dev.millrace.bench.articles;

/** What the stages do with a trade, the same for both sides. It allocates nothing. */
final class ArticleParser {
  private static final int VENUE_SLOTS = 64; // a power of two; the venues differ in it
  private static final int[] VENUES = new int[VENUE_SLOTS];
  private static final int[] CODES = new int[VENUE_SLOTS];

  static {
    for (int i = 0; i < ArticleTrades.VENUES.length; i++) {
      int packed = 0;
      for (char letter : ArticleTrades.VENUES[i].toCharArray()) {
        packed = packed << 8 | letter;
      }
      int slot = slotOf(packed);
      while (VENUES[slot] != 0) {
        slot = (slot + 1) & (VENUE_SLOTS - 1);
      }
      VENUES[slot] = packed;
      CODES[slot] = 101 + i;
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
    int slot = slotOf(venue);
    while (VENUES[slot] != venue && VENUES[slot] != 0) {
      slot = (slot + 1) & (VENUE_SLOTS - 1);
    }
    return VENUES[slot] == 0 ? 0 : CODES[slot];
  }

  private static int slotOf(int packed) {
    return (packed * 0x9E3779B9) >>> 26;
  }
}
