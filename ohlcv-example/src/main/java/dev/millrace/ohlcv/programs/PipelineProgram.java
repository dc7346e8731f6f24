package dev.millrace.ohlcv.programs;

import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.RecordRing;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.RingProducer;
import java.time.Duration;
import java.util.Locale;

/** Two threads value trades, a third finds the largest, a fourth adds up what the two have done. */
public final class PipelineProgram {
  private PipelineProgram() {}

  /** A trade in the ring's memory: all stages work on it in place. */
  interface Trade {
    double price();

    Trade price(double value);

    double volume();

    Trade volume(double value);

    double value();

    Trade value(double value);
  }

  /** Prints what came of it, and the stages. */
  public static void main(String[] arguments) throws InterruptedException {
    Arguments.require(PipelineProgram.class, arguments);
    RecordRing<Trade> ring = RecordRing.of(Trade.class, RingOptions.singleProducer(4_096));
    double[] largest = new double[1]; // each is one stage's own
    double[] turnover = new double[1];
    try (Pipeline<Trade> pipeline =
        Pipeline.on(ring)
            .named("trades")
            .stage("value")
            .sharedBy(2, () -> Pipeline.each((trade, sequence, end) -> value(trade)))
            .stage("largest")
            .handledBy(
                Pipeline.each(
                    (trade, sequence, end) -> largest[0] = Math.max(largest[0], trade.volume())))
            .stage("turnover")
            .after("value")
            .handledBy(Pipeline.each((trade, sequence, end) -> turnover[0] += trade.value()))
            .build()) {
      pipeline.start();
      RingProducer<Trade> producer = ring.producer();
      Trades.read(
          (second, price, volume) -> {
            producer.claim().price(price).volume(volume); // waits while the slowest is a lap behind
            producer.commit();
          });
      if (!pipeline.drain(Duration.ofSeconds(10))) {
        throw new IllegalStateException("stages must be through within 10 s: " + pipeline);
      }
      System.out.println(pipeline);
    }
    System.out.printf(Locale.ROOT, "largest %.2f, turnover %.2f%n", largest[0], turnover[0]);
  }

  private static void value(Trade trade) {
    trade.value(trade.price() * trade.volume());
  }
}
