import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.BatchHandler;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.PipelineBuilder;
import dev.millrace.disruptor.RecordRing;
import dev.millrace.disruptor.RingConsumer;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.RingProducer;
import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

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

  static final class Order {
    private byte[] message;

    void decode(byte[] encoded) {
      message = encoded;
    }

    int length() {
      return message.length;
    }
  }

  /** Counts the trades that both stages handle in threads of their own. */
  private static final class Candle {
    private final AtomicInteger trades = new AtomicInteger();
    private final AtomicInteger flushes = new AtomicInteger();

    void add(double price, double volume) {
      assert price == 100.25 && volume == 2;
      trades.incrementAndGet();
    }

    void flush() {
      flushes.incrementAndGet();
    }
  }

  private double sum;

  private void handle(double price) {
    sum += price;
  }

  private static void publish(RecordRing<Trade> ring, int count) throws InterruptedException {
    try (RingProducer<Trade> out = ring.newProducer()) {
      for (int i = 0; i < count; i++) {
        out.claim().timestamp(i).price(100.25).volume(2);
        out.commit();
      }
    }
  }

  void batch() throws InterruptedException {
    RecordRing<Trade> ring = RecordRing.of(Trade.class, RingOptions.multiProducer(64));
    PipelineBuilder<Trade> pipeline = Pipeline.on(ring);
    Candle candle = new Candle();
    // @start region="batch"
    pipeline
        .stage("candles")
        .handledBy(
            batch -> {
              for (int i = 0; i < batch.size(); i++) {
                Trade trade = batch.at(i); // the fastest way
                candle.add(trade.price(), trade.volume());
              }
              candle.flush(); // the end of the batch
            });

    pipeline
        .stage("candles, event by event")
        .handledBy(
            batch -> {
              while (batch.next()) {
                candle.add(batch.event().price(), batch.event().volume());
              }
              candle.flush();
            });
    // @end
    try (Pipeline<Trade> running = pipeline.build().start()) {
      publish(ring, 10);
      assert running.drain(Duration.ofSeconds(10));
    }
    assert candle.trades.get() == 20 && candle.flushes.get() >= 2;
  }

  void records() throws InterruptedException {
    // @start region="records"
    RecordRing<Trade> ring = RecordRing.of(Trade.class, RingOptions.multiProducer(65_536));
    // Pipeline.on(ring), or consumers by hand:
    RingConsumer<Trade> check = ring.newConsumer(WaitStrategy.yielding());
    RingConsumer<Trade> total = ring.newConsumer(WaitStrategy.yielding(), check); // behind check

    RingProducer<Trade> out = ring.newProducer(); // one per thread
    out.claim().timestamp(1).price(100.25).volume(2);
    out.commit();
    // @end
    assert total.tryPoll() == null; // not before check
    ring.complete();
    check.forEach(trade -> handle(trade.price()));
    total.forEach(trade -> handle(trade.price()));
    assert sum == 200.5;
    ring.close();
  }

  void objects() throws InterruptedException {
    byte[] message = new byte[3];
    AtomicInteger bytes = new AtomicInteger();
    // @start region="objects"
    ObjectRing<Order> ring = ObjectRing.of(RingOptions.multiProducer(1024), Order::new);
    Pipeline<Order> pipeline =
        Pipeline.on(ring)
            .stage("count")
            .handledBy(Pipeline.each((order, _, _) -> bytes.addAndGet(order.length())))
            .build();
    pipeline.start();
    ring.publish((order, encoded) -> order.decode(encoded), message);
    // @end
    assert pipeline.drain(Duration.ofSeconds(10)) && bytes.get() == 3;
    pipeline.close();
  }

  void pipeline() throws InterruptedException {
    RecordRing<Trade> ring = RecordRing.of(Trade.class, RingOptions.multiProducer(64));
    AtomicInteger parsed = new AtomicInteger();
    AtomicInteger aggregated = new AtomicInteger();
    Supplier<BatchHandler<Trade>> parser = () -> batch -> parsed.addAndGet(batch.size());
    BatchHandler<Trade> journal = batch -> {};
    BatchHandler<Trade> aggregator = batch -> aggregated.addAndGet(batch.size());
    // @start region="pipeline"
    Pipeline<Trade> pipeline =
        Pipeline.on(ring)
            .stage("parse")
            .sharedBy(4, parser)
            .stage("journal")
            .handledBy(journal)
            .stage("aggregate")
            .after("parse", "journal")
            .handledBy(aggregator)
            .build();
    pipeline.start();
    publish(ring, 1_000); // from any threads
    pipeline.drain(Duration.ofSeconds(10)); // until all events are handled
    pipeline.close();
    // @end
    assert parsed.get() == 1_000 && aggregated.get() == 1_000;
  }

  void sequencer() throws InterruptedException {
    double[] prices = new double[1024];
    // @start region="sequencer"
    Sequencer sequencer = Sequencer.of(RingOptions.multiProducer(1024));
    SequenceConsumer consumer = sequencer.newConsumer(WaitStrategy.yielding());

    long sequence = sequencer.claim(); // a producer
    if (sequence >= 0) {
      prices[(int) sequence & 1023] = 100.25;
      sequencer.commit(sequence);
    }
    sequencer.complete(); // once all producers are done

    int count; // the consumer
    while ((count = consumer.poll(256)) > 0) {
      for (int i = 0; i < count; i++) {
        handle(prices[(int) (consumer.sequence() + i) & 1023]);
      }
      consumer.release();
    }
    // @end
    assert sum == 100.25;
    sequencer.close();
  }
}
