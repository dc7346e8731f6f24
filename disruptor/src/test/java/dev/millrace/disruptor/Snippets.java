package dev.millrace.disruptor;

import dev.millrace.core.WaitStrategy;
import java.time.Duration;
import java.util.function.Supplier;

/** The examples of the Javadoc, compiled. */
final class Snippets {
  interface Trade {
    Trade timestamp(long value);

    double price();

    Trade price(double value);

    double volume();

    Trade volume(double value);
  }

  /** An event. */
  static final class Order {
    byte[] message;

    void decode(byte[] encoded) {
      message = encoded;
    }

    int length() {
      return message.length;
    }
  }

  interface Candle {
    void add(double price, double volume);

    void flush();
  }

  double sum;

  private void handle(double price) {
    sum += price;
  }

  void batch(PipelineBuilder<Trade> pipeline, Candle candle) {
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
  }

  void records(long t, double p, double v) throws InterruptedException {
    // @start region="records"
    RecordRing<Trade> ring = RecordRing.of(Trade.class, RingOptions.multiProducer(65_536));
    // Pipeline.on(ring), or consumers by hand:
    RingConsumer<Trade> check = ring.newConsumer(WaitStrategy.yielding());
    RingConsumer<Trade> total = ring.newConsumer(WaitStrategy.yielding(), check); // behind check

    RingProducer<Trade> out = ring.newProducer(); // one per thread
    out.claim().timestamp(t).price(p).volume(v);
    out.commit();
    // @end
    total.forEach(trade -> handle(trade.price()));
  }

  void objects(byte[] message) throws InterruptedException {
    // @start region="objects"
    ObjectRing<Order> ring = ObjectRing.of(RingOptions.multiProducer(1024), Order::new);
    ring.publish((order, bytes) -> order.decode(bytes), message);
    // @end
  }

  void pipeline(
      RecordRing<Trade> ring,
      Supplier<BatchHandler<Trade>> parser,
      BatchHandler<Trade> journal,
      BatchHandler<Trade> aggregator)
      throws InterruptedException {
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
    // publish to the ring, then:
    pipeline.drain(Duration.ofSeconds(10)); // until all events are handled
    pipeline.close();
    // @end
  }

  void sequencer(double[] prices, double price) throws InterruptedException {
    // @start region="sequencer"
    Sequencer sequencer = Sequencer.of(RingOptions.multiProducer(1024));
    SequenceConsumer consumer = sequencer.newConsumer(WaitStrategy.yielding());

    long sequence = sequencer.claim(); // a producer
    if (sequence >= 0) {
      prices[(int) sequence & 1023] = price;
      sequencer.commit(sequence);
    }

    int count; // the consumer
    while ((count = consumer.poll(256)) > 0) {
      for (int i = 0; i < count; i++) {
        handle(prices[(int) (consumer.sequence() + i) & 1023]);
      }
      consumer.release();
    }
    // @end
  }
}
