package dev.millrace.ohlcv.programs;

import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.RecordRing;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.RingProducer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Two threads value trades, a third finds the largest, and a fourth adds up the values. */
public final class PipelineProgram {
  /** A trade in the ring's memory: all stages work on it in place. */
  interface Trade {
    double price();

    Trade price(double value);

    double volume();

    Trade volume(double value);

    double value();

    Trade value(double value);
  }

  /** Prints the stages, and the results. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    RecordRing<Trade> ring = RecordRing.of(Trade.class, RingOptions.singleProducer(1_024));
    double[] largest = new double[1]; // each belongs to one stage
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
      for (String[] row : readRows()) {
        Trade trade = producer.claim(); // waits while the slowest stage is a lap behind
        trade.price(Double.parseDouble(row[1])).volume(Double.parseDouble(row[2]));
        producer.commit();
      }
      if (!pipeline.drain(Duration.ofSeconds(10))) {
        throw new IllegalStateException("not drained within 10 s: " + pipeline);
      }
      System.out.println(pipeline);
    }
    System.out.printf(Locale.ROOT, "largest %.2f, turnover %.2f%n", largest[0], turnover[0]);
  }

  private static void value(Trade trade) {
    trade.value(trade.price() * trade.volume());
  }

  private static List<String[]> readRows() throws IOException {
    try (InputStream csv = PipelineProgram.class.getResourceAsStream("trades.csv")) {
      String text = new String(csv.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().skip(2).map(row -> row.split(",", -1)).toList();
    }
  }
}
