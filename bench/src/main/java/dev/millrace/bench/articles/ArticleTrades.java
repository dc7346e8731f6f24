package dev.millrace.bench.articles;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * What comes into the article's pipeline: trades as a feed tells them, a line of text each, such as
 * {@code T|SYM017|101.25|300|XNAS|B}. They are the same in every run, and repeat after some time.
 */
final class ArticleTrades {
  /** The longest line. */
  static final int MOST_BYTES = 40;

  /** How many symbols are traded. */
  static final int SYMBOLS = 64;

  private static final int COUNT = 1 << 14;
  static final String[] VENUES = {"XNAS", "XNYS", "ARCX", "BATS", "EDGX", "IEXG", "XCHI", "XPHL"};

  private final byte[][] lines = new byte[COUNT][];

  ArticleTrades() {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < COUNT; i++) {
      int cents = 1_000 + random.nextInt(50_000);
      String line =
          String.format(
              "T|SYM%03d|%d.%02d|%d|%s|%s",
              random.nextInt(SYMBOLS),
              cents / 100,
              cents % 100,
              100 * (1 + random.nextInt(50)),
              VENUES[random.nextInt(VENUES.length)],
              random.nextBoolean() ? "B" : "S");
      lines[i] = line.getBytes(StandardCharsets.US_ASCII);
    }
  }

  /** A trade's line; not to be changed. */
  byte[] line(long number) {
    return lines[(int) number & (COUNT - 1)];
  }

  /** What the pipeline must come to after so many trades: found in one thread. */
  ArticleBook bookOf(long count) {
    ArticleBook book = new ArticleBook();
    if (count >= COUNT) {
      addTo(book, COUNT);
      book.repeat(count / COUNT);
    }
    addTo(book, (int) (count % COUNT));
    return book;
  }

  private void addTo(ArticleBook book, int count) {
    ArticleParser parser = new ArticleParser();
    for (int number = 0; number < count; number++) {
      byte[] line = line(number);
      parser.parse(line, line.length);
      book.add(
          parser.symbol,
          parser.cents,
          parser.size,
          ArticleParser.notional(parser.cents, parser.size),
          ArticleParser.venueCode(parser.venue));
    }
  }
}
