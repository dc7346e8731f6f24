package dev.millrace.ohlcv.programs;

import dev.millrace.queues.SpscProducer;
import dev.millrace.queues.SpscQueue;
import java.time.Instant;
import java.util.Locale;

/** One thread reads trades, another makes candles of a day of them, with a queue in between. */
public final class QueueProgram {
  private static final long DAY = 86_400;

  private QueueProgram() {}

  /** A trade in the queue's memory: the library implements it. */
  interface Trade {
    long second();

    Trade second(long value);

    double price();

    Trade price(double value);

    double volume();

    Trade volume(double value);
  }

  /** Prints the candles. */
  public static void main(String[] arguments) throws InterruptedException {
    Arguments.require(QueueProgram.class, arguments);
    SpscQueue<Trade> queue = SpscQueue.of(Trade.class, 4_096);
    Thread.ofPlatform().name("reader").start(() -> feed(queue));
    Candle candle = new Candle();
    queue.consumer().forEach(candle::add); // returns when the queue is complete and empty
    candle.print();
    queue.close(); // frees the memory
  }

  private static void feed(SpscQueue<Trade> queue) {
    try (SpscProducer<Trade> producer = queue.producer()) { // closing it completes the queue
      Trades.read(
          (second, price, volume) -> {
            producer.claim().second(second).price(price).volume(volume); // waits while it is full
            producer.commit();
          });
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Candle {
    private long day = -1;
    private double open;
    private double high;
    private double low;
    private double close;
    private double volume;

    void add(Trade trade) {
      if (trade.second() / DAY != day) {
        print();
        day = trade.second() / DAY;
        open = high = low = trade.price();
        volume = 0;
      }
      high = Math.max(high, trade.price());
      low = Math.min(low, trade.price());
      close = trade.price();
      volume += trade.volume();
    }

    void print() {
      if (day >= 0) {
        Instant time = Instant.ofEpochSecond(day * DAY);
        System.out.printf(
            Locale.ROOT, "%s %.2f %.2f %.2f %.2f %.1f%n", time, open, high, low, close, volume);
      }
    }
  }
}
