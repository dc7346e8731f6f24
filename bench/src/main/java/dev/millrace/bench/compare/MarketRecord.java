package dev.millrace.bench.compare;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/**
 * Immutable records: four types of three 64-bit fields, as a program has several in use at once,
 * and one of eight fields as people have them.
 */
sealed interface MarketRecord {
  /** The types, by number. */
  List<Class<? extends Record>> TYPES = List.of(Trade.class, Quote.class, Order.class, Level.class);

  /** The number of the wide type. */
  int WIDE = 4;

  /** The sum over all fields; of the wide type what eight numbers would add up to. */
  long sum();

  /** Makes a record of one of the types, of one number as all are: see {@link Ends}. */
  static MarketRecord of(int type, long number) {
    return switch (type) {
      case 0 -> new Trade(number, number + 1, number + 2);
      case 1 -> new Quote(number, number + 1, number + 2);
      case 2 -> new Order(number, number + 1, number + 2);
      case WIDE -> Execution.of(number);
      default -> new Level(number, number + 1, number + 2);
    };
  }

  /** What was dealt. */
  record Trade(long time, long price, long volume) implements MarketRecord {
    @Override
    public long sum() {
      return time + price + volume;
    }
  }

  /** What is asked and bid. */
  record Quote(long time, long bid, long ask) implements MarketRecord {
    @Override
    public long sum() {
      return time + bid + ask;
    }
  }

  /** What was dealt, with all that one wants to know of it. */
  record Execution(
      String orderId,
      String symbol,
      Side side,
      BigDecimal price,
      long quantity,
      long sequence,
      Instant at,
      Boolean isMaker)
      implements MarketRecord {
    /** Which side the taker was on. */
    enum Side {
      /** Bought. */
      BUY,
      /** Sold. */
      SELL
    }

    private static final int TEXTS = 1_024;
    private static final String[] IDS = texts("order-");
    private static final String[] SYMBOLS = texts("SYM");

    private static String[] texts(String prefix) {
      String[] texts = new String[TEXTS];
      Arrays.setAll(texts, i -> prefix + i);
      return texts;
    }

    static Execution of(long number) {
      int text = (int) number & (TEXTS - 1);
      return new Execution(
          IDS[text],
          SYMBOLS[text],
          (number & 1) == 0 ? Side.BUY : Side.SELL,
          BigDecimal.valueOf(number + 1, 2),
          6 * number + 2 + 3 + 4 + 5 + 6 + 7, // as if each of eight fields were a number
          number,
          Instant.ofEpochSecond(number),
          (number & 2) == 0);
    }

    @Override
    public long sum() {
      return sequence + price.unscaledValue().longValue() + quantity;
    }
  }

  /** What somebody wants. */
  record Order(long id, long price, long quantity) implements MarketRecord {
    @Override
    public long sum() {
      return id + price + quantity;
    }
  }

  /** What all want at a price. */
  record Level(long price, long quantity, long orders) implements MarketRecord {
    @Override
    public long sum() {
      return price + quantity + orders;
    }
  }
}
