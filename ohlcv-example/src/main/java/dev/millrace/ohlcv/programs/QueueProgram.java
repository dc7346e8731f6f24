package dev.millrace.ohlcv.programs;

import dev.millrace.queues.SpscProducer;
import dev.millrace.queues.SpscQueue;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** One thread feeds trades into a queue, and another makes hourly candles of them. */
public final class QueueProgram {
  private static final long HOUR = 3_600;

  /** A trade in the queue's memory. The library implements the interface. */
  interface Trade {
    long second();

    Trade second(long value);

    double price();

    Trade price(double value);
  }

  /** Prints the candles: open, high, low, close. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    List<String[]> rows = readRows();
    try (SpscQueue<Trade> queue = SpscQueue.of(Trade.class, 1_024)) {
      Thread feeder = Thread.ofPlatform().name("feeder").start(() -> feed(rows, queue.producer()));
      Candle candle = new Candle();
      queue.consumer().forEach(candle::add); // returns when the queue is complete and empty
      candle.print();
      feeder.join();
    }
  }

  private static void feed(List<String[]> rows, SpscProducer<Trade> producer) {
    try (producer) { // closing it completes the queue
      for (String[] row : rows) {
        Trade trade = producer.claim(); // waits while the queue is full
        trade.second(Long.parseLong(row[0])).price(Double.parseDouble(row[1]));
        producer.commit();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Candle {
    private long hour = -1;
    private double open, high, low, close;

    void add(Trade trade) {
      if (trade.second() / HOUR != hour) {
        print();
        hour = trade.second() / HOUR;
        open = high = low = trade.price();
      }
      high = Math.max(high, trade.price());
      low = Math.min(low, trade.price());
      close = trade.price();
    }

    void print() {
      if (hour >= 0) {
        Instant time = Instant.ofEpochSecond(hour * HOUR);
        System.out.printf(Locale.ROOT, "%s %.2f %.2f %.2f %.2f%n", time, open, high, low, close);
      }
    }
  }

  private static List<String[]> readRows() throws IOException {
    try (InputStream csv = QueueProgram.class.getResourceAsStream("trades.csv")) {
      String text = new String(csv.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().skip(2).map(row -> row.split(",", -1)).toList();
    }
  }
}
