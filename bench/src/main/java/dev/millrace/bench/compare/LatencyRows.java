package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Contenders.AGRONA;
import static dev.millrace.bench.compare.Contenders.ARRAY_BLOCKING_QUEUE;
import static dev.millrace.bench.compare.Contenders.ARRAY_BLOCKING_QUEUE_NEW;
import static dev.millrace.bench.compare.Contenders.DISRUPTOR;
import static dev.millrace.bench.compare.Contenders.JCTOOLS;
import static dev.millrace.bench.compare.Contenders.JCTOOLS_NEW;
import static dev.millrace.bench.compare.Contenders.MILLRACE;
import static dev.millrace.bench.compare.Contenders.MILLRACE_POLLUTED;

import dev.millrace.bench.compare.Work.Shape;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The works whose times count: at a fixed rate, in bursts; and those after pollution. */
final class LatencyRows {
  /** Under each collector. */
  static final List<Row> LATENCY =
      Stream.of(Jvm.DEFAULT, Jvm.ZGC)
          .flatMap(
              jvm ->
                  Stream.of(
                      atRate(1, 100_000, "100k", jvm),
                      atRate(1, 1_000_000, "1m", jvm),
                      atRate(1, 5_000_000, "5m", jvm),
                      atRate(2, 100_000, "100k", jvm),
                      atRate(2, 1_000_000, "1m", jvm)))
          .toList();

  /** One producer, one consumer. */
  static final List<Row> BURST =
      IntStream.of(1, 10, 100, 1_000).mapToObj(LatencyRows::burst).toList();

  /** Ours in a polluted JVM beside ours in a clean one. */
  static final List<Row> POLLUTED =
      List.of(
          polluted(Work.way("polluted-spsc-single", "SPSC, one record at a time, polluted", 1, 1)),
          polluted(
              Work.way("polluted-spsc-batch-64", "SPSC, batches of 64, polluted", 1, 1)
                  .runs(64, 64)),
          polluted(Work.way("polluted-mpsc-single", "MPSC, 2 producers, polluted", 2, 1)));

  private LatencyRows() {}

  private static Row atRate(int producers, long perSecond, String rate, Jvm jvm) {
    String queue = producers == 1 ? "spsc" : "mpsc";
    String collector = jvm == Jvm.ZGC ? "zgc" : "g1";
    Work work =
        Work.way(
                "latency-%s-%s-%s".formatted(queue, rate, collector),
                String.format(
                    Locale.ROOT,
                    "%s at %,d records a second, %s",
                    producers == 1 ? "SPSC" : "MPSC, 2 producers",
                    perSecond,
                    collector.toUpperCase(Locale.ROOT)),
                producers,
                1)
            .withShape(Shape.FIXED_RATE)
            .withRate(perSecond)
            .in(jvm);
    return Row.of(Suite.LATENCY, work)
        .beside(
            AGRONA,
            JCTOOLS,
            JCTOOLS_NEW,
            DISRUPTOR,
            ARRAY_BLOCKING_QUEUE,
            ARRAY_BLOCKING_QUEUE_NEW);
  }

  private static Row burst(int size) {
    Work work =
        Work.way(
                "burst-" + size,
                size == 1 ? "Bursts of one record" : "Bursts of " + size + " records",
                1,
                1)
            .withShape(Shape.BURST)
            .runs(size, 1);
    return Row.of(Suite.BURST, work);
  }

  private static Row polluted(Work work) {
    return Row.of(Suite.POLLUTED, work).ours(MILLRACE_POLLUTED).beside(MILLRACE);
  }
}
