package dev.millrace.bench.articles;

import dev.millrace.bench.Tick;
import dev.millrace.bench.UsualBenchmark;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.MpscProducer;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryRing;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Several threads that write trades of 24 bytes to one place, which keeps the newest 65,536: a
 * linked queue from which a writer takes the oldest when it has put a new one in, or a history
 * ring. Beside them a bounded queue, whose consumer takes out what it finds.
 *
 * <pre>java -jar bench/target/benchmarks.jar WritersBenchmark -t 4 -prof gc</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"})
public class WritersBenchmark extends UsualBenchmark {
  private static final int KEPT = 65_536;
  private static final FlyweightType<Tick> TYPE = FlyweightType.of(Tick::new);

  @Param({"linked-queue", "history-ring", "mpsc-queue"})
  private String place;

  private Supplier<Place> writers;
  private AutoCloseable closing;

  /** What a writer writes to. */
  private interface Place {
    void write(long number) throws InterruptedException;
  }

  private record Trade(long time, long price, long volume) {}

  /** A thread that writes. */
  @State(Scope.Thread)
  public static class Writer {
    private Place end;
    private long number;

    /**
     * Makes its end.
     *
     * @param all has the place
     */
    @Setup
    public void setUp(WritersBenchmark all) {
      end = all.writers.get();
    }
  }

  /** Makes the place. */
  @Setup
  public void setUp() {
    switch (place) {
      case "linked-queue" -> openLinkedQueue();
      case "history-ring" -> openHistoryRing();
      default -> openMpscQueue();
    }
  }

  private void openLinkedQueue() {
    Queue<Trade> trades = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < KEPT; i++) {
      trades.add(new Trade(i, i, i));
    }
    writers =
        () ->
            number -> {
              trades.add(new Trade(number, number + 1, number + 2));
              trades.remove();
            };
    closing = trades::clear;
  }

  private void openHistoryRing() {
    HistoryRing<Tick> trades = HistoryRing.multi(TYPE, KEPT);
    writers =
        () -> {
          HistoryProducer<Tick> producer = trades.newProducer();
          return number -> {
            Tick trade = producer.tryClaim();
            while (trade == null) { // refused: its slot's former writer is still at work
              Thread.onSpinWait();
              trade = producer.tryClaim();
            }
            trade.set(number);
            producer.commit();
          };
        };
    closing = trades;
  }

  private void openMpscQueue() {
    MpscQueue<Tick> trades = MpscQueue.of(TYPE, QueueOptions.ofCapacity(KEPT));
    FutureTask<Void> consumer =
        new FutureTask<>(
            () -> {
              trades.consumer().forEach(Tick::sum);
              return null;
            });
    Thread.ofPlatform().start(consumer);
    writers =
        () -> {
          MpscProducer<Tick> producer = trades.newProducer();
          return number -> {
            producer.claim().set(number);
            producer.commit();
          };
        };
    closing =
        () -> {
          trades.complete();
          consumer.get();
          trades.close();
        };
  }

  /**
   * Frees it.
   *
   * @throws Exception never
   */
  @TearDown
  public void tearDown() throws Exception {
    closing.close();
  }

  /**
   * Writes a trade.
   *
   * @param writer the thread's
   * @throws InterruptedException never
   */
  @Benchmark
  public void write(Writer writer) throws InterruptedException {
    writer.end.write(writer.number++);
  }
}
