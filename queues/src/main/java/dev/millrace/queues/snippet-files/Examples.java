import dev.millrace.core.Producer;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.MpmcProducer;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscProducer;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.RecordQueue;
import dev.millrace.queues.ShardedQueue;
import dev.millrace.queues.SpscProducer;
import dev.millrace.queues.SpscQueue;
import java.util.List;
import java.util.concurrent.BlockingQueue;

/**
 * The examples in this package's documentation. The build runs every line of them in one thread, so
 * producers come first.
 */
final class Examples {
  // @start region="trade"
  interface Trade {
    long timestamp();

    Trade timestamp(long value);

    double price();

    Trade price(double value);

    double volume();

    Trade volume(double value);
  }

  // @end

  interface Task {
    long id();

    Task id(long value);

    long deadline();

    Task deadline(long value);
  }

  /** A source of three trades. */
  private static final class Feed {
    private long next;

    boolean hasNext() {
      return next < 3;
    }

    long time() {
      return next++;
    }

    double price() {
      return 100.25;
    }

    double volume() {
      return 2;
    }
  }

  private final Feed feed = new Feed();
  private double sum;
  private long tasks;

  private void add(double price, double volume) {
    sum += price * volume;
  }

  private void run(long id, long deadline) {
    assert id == 7 && deadline == 1_000;
    tasks++;
  }

  void spsc() throws InterruptedException {
    // @start region="spsc"
    SpscQueue<Trade> queue = SpscQueue.of(Trade.class, 65_536);

    // the producer's thread
    try (SpscProducer<Trade> out = queue.producer()) { // completes the queue at the end
      while (feed.hasNext()) {
        out.claim().timestamp(feed.time()).price(feed.price()).volume(feed.volume());
        out.commit();
      }
    }

    // the consumer's thread; returns once every record is consumed
    queue.consumer().forEach(trade -> add(trade.price(), trade.volume()));
    // @end
    assert sum == 601.5;
    queue.close();
  }

  void mpsc() throws InterruptedException {
    // @start region="mpsc"
    MpscQueue<Trade> queue = MpscQueue.of(Trade.class, 65_536);

    // each producer's thread
    MpscProducer<Trade> out = queue.newProducer();
    while (feed.hasNext()) {
      out.claim().timestamp(feed.time()).price(feed.price()).volume(feed.volume());
      out.commit();
    }

    // any thread, once all producers are done
    queue.complete();

    // the consumer's thread; returns once the queue is completed and every record is consumed
    queue.consumer().forEach(trade -> add(trade.price(), trade.volume()));
    // @end
    assert sum == 601.5;
    queue.close();
  }

  void mpmc() throws InterruptedException {
    // @start region="mpmc"
    MpmcQueue<Task> queue = MpmcQueue.of(Task.class, 65_536);

    // each producer's thread
    MpmcProducer<Task> out = queue.newProducer();
    out.claim().id(7).deadline(1_000);
    out.commit();

    // any thread, once all producers are done
    queue.complete();

    // each consumer's thread; returns once the queue is completed and every record is taken
    queue.newConsumer().forEach(task -> run(task.id(), task.deadline()));
    // @end
    assert tasks == 1;
    queue.close();
  }

  void kFifo() throws InterruptedException {
    // @start region="k-fifo"
    KFifoQueue<Task> queue = KFifoQueue.of(Task.class, 8, 65_536);

    // each producer's thread
    Producer<Task> out = queue.newProducer();
    out.claim().id(7).deadline(1_000);
    out.commit();

    // any thread, once all producers are done
    queue.complete();

    // each consumer's thread; returns once the queue is completed and drained
    queue.newConsumer().forEach(task -> run(task.id(), task.deadline()));
    // @end
    assert tasks == 1;
    queue.close();
  }

  void sharded() throws InterruptedException {
    int symbolId = 4711;
    // @start region="sharded"
    ShardedQueue<Trade> queue = ShardedQueue.of(Trade.class, 4, 16_384);

    // each producer's thread
    List<MpscProducer<Trade>> producers = queue.newProducers();
    int shard = queue.shardOf(symbolId);
    MpscProducer<Trade> out = producers.get(shard);
    out.claim().timestamp(1).price(100.25).volume(2); // waits while that shard is full
    out.commit();

    // any thread, once all producers are done
    queue.complete();

    // each shard's consumer thread; returns once the queue is completed and every record is
    // consumed
    queue.shard(shard).consumer().forEach(trade -> add(trade.price(), trade.volume()));
    // @end
    assert sum == 200.5;
    queue.close();
  }

  void records() throws InterruptedException {
    // @start region="records"
    record Order(long timestamp, double price, double volume) {}

    BlockingQueue<Order> queue = RecordQueue.of(Order.class, 10_000);
    queue.put(new Order(1, 100.25, 2));
    Order order = queue.take();
    // @end
    assert order.equals(new Order(1, 100.25, 2));
    ((RecordQueue<Order>) queue).close();
  }
}
