package dev.millrace.ohlcv.programs;

import dev.millrace.queues.HistoryProducer;
import dev.millrace.queues.HistoryReader;
import dev.millrace.queues.HistoryRing;
import java.time.Duration;
import java.util.Locale;

/**
 * One thread writes trades and never waits; another asks for the average price of the latest 1,000,
 * as often as it likes.
 */
public final class HistoryProgram {
  private static final int LATEST = 1_000;

  private HistoryProgram() {}

  /** A trade in the ring's memory. */
  interface Trade {
    double price();

    Trade price(double value);

    double volume();

    Trade volume(double value);
  }

  /** Prints the averages of the beginning, of times in between, and of the end. */
  public static void main(String[] arguments) throws InterruptedException {
    Arguments.require(HistoryProgram.class, arguments);
    try (HistoryRing<Trade> ring = HistoryRing.single(Trade.class, 4_096)) {
      Thread writer = Thread.ofPlatform().name("writer").start(() -> write(ring));
      try (HistoryReader<Trade> reader = ring.newReader(LATEST)) {
        do {
          print(reader);
        } while (!writer.join(Duration.ofMillis(50)));
        print(reader); // all is written: the latest trades of the file
      }
    }
  }

  private static void write(HistoryRing<Trade> ring) {
    HistoryProducer<Trade> producer = ring.producer();
    try {
      Trades.read(
          (second, price, volume) -> {
            producer.claim().price(price).volume(volume); // overwrites the oldest
            producer.commit();
          });
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void print(HistoryReader<Trade> reader) {
    int count = reader.latest(LATEST); // copies that do not change any more
    double value = 0;
    double volume = 0;
    for (int i = 0; i < count; i++) {
      Trade trade = reader.at(i);
      value += trade.price() * trade.volume();
      volume += trade.volume();
    }
    System.out.printf(Locale.ROOT, "%d trades, average price %.2f%n", count, value / volume);
  }
}
