package dev.millrace.bench.compare;

import java.util.List;

/**
 * Immutable records of three 64-bit fields: four types, as a program has several in use at once.
 */
sealed interface MarketRecord {
  /** The types, by number. */
  List<Class<? extends Record>> TYPES = List.of(Trade.class, Quote.class, Order.class, Level.class);

  /** The sum over all fields. */
  long sum();

  /** Makes a record of one of the types, of one number as all are: see {@link Ends}. */
  static MarketRecord of(int type, long number) {
    return switch (type) {
      case 0 -> new Trade(number, number + 1, number + 2);
      case 1 -> new Quote(number, number + 1, number + 2);
      case 2 -> new Order(number, number + 1, number + 2);
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
