import dev.millrace.core.Consumer;
import dev.millrace.core.Idler;
import dev.millrace.core.Measured;
import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.SpscQueue;
import java.time.Duration;

/** The examples in this package's documentation. The build runs every line of them. */
final class Examples {
  interface Trade {
    long timestamp();

    Trade timestamp(long value);

    double price();

    Trade price(double value);

    double volume();

    Trade volume(double value);
  }

  private double sum;
  private int idleTurns;

  void produce() {
    SpscQueue<Trade> queue = SpscQueue.of(Trade.class, 8);
    Producer<Trade> producer = queue.producer();
    double[] prices = new double[256];
    // @start region="produce"
    Trade trade = producer.tryClaim(); // null when full; claim() waits
    if (trade != null) {
      trade.timestamp(1).price(100.25).volume(2);
      producer.commit(); // or abort()
    }

    int count = producer.tryClaim(256); // a run: 1 to 256 records, or 0
    for (int i = 0; i < count; i++) {
      producer.at(i).timestamp(2).price(prices[i]).volume(2);
    }
    if (count > 0) {
      producer.commit();
    }
    // @end
    assert count > 0 && queue.sizeEstimate() == 1 + count;
    queue.close();
  }

  void consume() throws InterruptedException {
    SpscQueue<Trade> queue = filled(8);
    Consumer<Trade> consumer = queue.consumer();
    // @start region="consume"
    Trade next = consumer.tryPoll(); // null when empty; poll() waits
    if (next != null) {
      sum += next.price();
      consumer.release();
    }

    int count = consumer.tryPoll(3); // a run: 1 to 3 records, or 0
    for (int i = 0; i < count; i++) {
      sum += consumer.at(i).price(); // the fastest way
    }
    if (count > 0) {
      consumer.release();
    }

    // the rest: waits while empty, returns when the producers have completed
    consumer.forEach(trade -> sum += trade.price());
    // @end
    assert sum == 8 * 100.25;
    queue.close();
  }

  void idle() throws InterruptedException {
    SpscQueue<Trade> tradeQueue = filled(8);
    SpscQueue<Trade> orderQueue = filled(4);
    Consumer<Trade> trades = tradeQueue.consumer();
    Consumer<Trade> orders = orderQueue.consumer();
    // @start region="idle"
    Idler idler = WaitStrategy.sleeping(Duration.ofNanos(50_000)).newIdler();
    while (isRunning()) {
      int workDone = trades.drain(this::onTrade, 256) + orders.drain(this::onOrder, 256);
      idler.idle(workDone);
    }
    // @end
    assert sum == 4 * 100.25;
    tradeQueue.close();
    orderQueue.close();
  }

  void measure() throws InterruptedException {
    SpscQueue<Trade> full = filled(8);
    Measured queue = full;
    // @start region="measure"
    long[] values = new long[queue.counters().size() + queue.gauges().size()]; // once
    queue.readMetrics(values); // now and then
    // @end
    assert values[queue.counters().size() + queue.gauges().indexOf("size")] == 8;
    full.close();
  }

  /** Makes a queue with {@code count} trades and completes it. */
  private static SpscQueue<Trade> filled(int count) throws InterruptedException {
    SpscQueue<Trade> queue = SpscQueue.of(Trade.class, 8);
    for (int i = 0; i < count; i++) {
      queue.producer().claim().timestamp(i).price(100.25).volume(2);
      queue.producer().commit();
    }
    queue.complete();
    return queue;
  }

  private boolean isRunning() {
    return idleTurns++ < 3;
  }

  private void onTrade(Trade trade) {
    sum += trade.price();
  }

  private void onOrder(Trade order) {
    sum -= order.price();
  }
}
