package dev.millrace.core;

import java.time.Duration;

/** The examples of the Javadoc, compiled. */
final class Snippets {
  interface Trade {
    Trade timestamp(long value);

    double price();

    Trade price(double value);

    Trade volume(double value);
  }

  double sum;

  void produce(Producer<Trade> producer, long now, double p, double v, double[] prices)
      throws InterruptedException {
    // @start region="produce"
    Trade trade = producer.tryClaim(); // null when full; claim() waits
    if (trade != null) {
      trade.timestamp(now).price(p).volume(v);
      producer.commit(); // or abort()
    }

    int count = producer.tryClaim(256); // a run: 1 to 256 records, or 0
    for (int i = 0; i < count; i++) {
      producer.at(i).timestamp(now).price(prices[i]).volume(v);
    }
    if (count > 0) {
      producer.commit();
    }
    // @end
  }

  void consume(Consumer<Trade> consumer) throws InterruptedException {
    // @start region="consume"
    consumer.forEach(trade -> sum += trade.price()); // waits; ends when the producers complete

    Trade next = consumer.tryPoll(); // null when empty; poll() waits
    if (next != null) {
      sum += next.price();
      consumer.release();
    }

    int count = consumer.tryPoll(256); // a run: 1 to 256 records, or 0
    for (int i = 0; i < count; i++) {
      sum += consumer.at(i).price(); // the fastest way
    }
    if (count > 0) {
      consumer.release();
    }
    // @end
  }

  void idle(Consumer<Trade> trades, Consumer<Trade> orders, boolean isRunning)
      throws InterruptedException {
    // @start region="idle"
    Idler idler = WaitStrategy.sleeping(Duration.ofNanos(50_000)).newIdler();
    while (isRunning) {
      int workDone = trades.drain(this::onTrade, 256) + orders.drain(this::onOrder, 256);
      idler.idle(workDone);
    }
    // @end
  }

  private void onTrade(Trade trade) {
    sum += trade.price();
  }

  private void onOrder(Trade order) {
    sum -= order.price();
  }

  void measure(Measured queue) {
    // @start region="measure"
    long[] values = new long[queue.counters().size() + queue.gauges().size()]; // once
    queue.readMetrics(values); // now and then
    // @end
  }
}
