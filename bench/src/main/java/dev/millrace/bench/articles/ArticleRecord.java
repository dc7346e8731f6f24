package dev.millrace.bench.articles;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.bench.articles.ArticlePipeline.Result;
import dev.millrace.bench.articles.ArticlePipeline.Worker;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;

/** A trade in the ring: the line as it came, and what the stages have made of it. */
final class ArticleRecord extends Flyweight {
  private static final RecordLayout LAYOUT =
      RecordLayout.of(
          JAVA_LONG.withName("due"),
          JAVA_LONG.withName("parsed"),
          JAVA_LONG.withName("enriched"),
          JAVA_LONG.withName("symbol"),
          JAVA_LONG.withName("cents"),
          JAVA_LONG.withName("notional"),
          JAVA_INT.withName("size"),
          JAVA_INT.withName("venue"),
          JAVA_INT.withName("venueCode"),
          JAVA_INT.withName("length"),
          MemoryLayout.sequenceLayout(ArticleTrades.MOST_BYTES, JAVA_BYTE).withName("line"));
  private static final Field DUE = LAYOUT.field("due");
  private static final Field PARSED = LAYOUT.field("parsed");
  private static final Field ENRICHED = LAYOUT.field("enriched");
  private static final Field SYMBOL = LAYOUT.field("symbol");
  private static final Field CENTS = LAYOUT.field("cents");
  private static final Field NOTIONAL = LAYOUT.field("notional");
  private static final Field SIZE = LAYOUT.field("size");
  private static final Field VENUE = LAYOUT.field("venue");
  private static final Field VENUE_CODE = LAYOUT.field("venueCode");
  private static final Field LENGTH = LAYOUT.field("length");
  private static final Field LINE = LAYOUT.field("line");

  ArticleRecord(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  void came(byte[] line, long due) {
    putLong(DUE, due);
    putInt(LENGTH, line.length);
    putBytes(LINE, line);
  }

  /** Parses the line, by way of an array. */
  void parse(ArticleParser parser, byte[] array, Worker worker) {
    long begun = worker.begin(getLong(DUE));
    getBytes(LINE, array);
    parser.parse(array, getInt(LENGTH));
    putLong(SYMBOL, parser.symbol);
    putLong(CENTS, parser.cents);
    putInt(SIZE, parser.size);
    putInt(VENUE, parser.venue);
    putLong(PARSED, worker.end(begun));
  }

  void enrich(Worker worker) {
    long begun = worker.begin(getLong(PARSED));
    putLong(NOTIONAL, ArticleParser.notional(getLong(CENTS), getInt(SIZE)));
    putInt(VENUE_CODE, ArticleParser.venueCode(getInt(VENUE)));
    putLong(ENRICHED, worker.end(begun));
  }

  void addTo(Result result, Worker worker) {
    long begun = worker.begin(getLong(ENRICHED));
    result.book.add(
        getLong(SYMBOL), getLong(CENTS), getInt(SIZE), getLong(NOTIONAL), getInt(VENUE_CODE));
    result.passed(getLong(DUE), getLong(PARSED), getLong(ENRICHED), worker.end(begun));
  }

  long symbol() {
    return getLong(SYMBOL);
  }
}
