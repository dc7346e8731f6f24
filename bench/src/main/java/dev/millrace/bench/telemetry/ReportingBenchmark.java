package dev.millrace.bench.telemetry;

import dev.millrace.bench.Tick;
import dev.millrace.bench.UsualBenchmark;
import dev.millrace.core.Consumer;
import dev.millrace.core.Measured;
import dev.millrace.core.Producer;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;
import dev.millrace.telemetry.Telemetry;
import java.time.Duration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A record in and out of a queue in one thread, with and without telemetry that reports the queue.
 *
 * <pre>java -jar bench/target/benchmarks.jar Reporting -prof gc</pre>
 */
@State(Scope.Thread)
@Fork(5)
public class ReportingBenchmark extends UsualBenchmark {
  private static final QueueOptions OPTIONS = QueueOptions.ofCapacity(1 << 10);
  private static final FlyweightType<Tick> TYPE = FlyweightType.of(Tick::new);

  @Param({"SPSC", "MPSC", "MPMC"})
  private String kind;

  /** How often the queue is asked. */
  @Param({"never", "each second", "each millisecond"})
  private String reported;

  private Measured queue;
  private Runnable closing;
  private Telemetry telemetry;
  private Producer<Tick> producer;
  private Consumer<Tick> consumer;
  private long number;

  /** Makes the queue, and the telemetry. */
  @Setup
  public void setUp() {
    switch (kind) {
      case "SPSC" -> {
        SpscQueue<Tick> spsc = SpscQueue.of(TYPE, OPTIONS);
        use(spsc, spsc::close, spsc.producer(), spsc.consumer());
      }
      case "MPSC" -> {
        MpscQueue<Tick> mpsc = MpscQueue.of(TYPE, OPTIONS);
        use(mpsc, mpsc::close, mpsc.newProducer(), mpsc.consumer());
      }
      default -> {
        MpmcQueue<Tick> mpmc = MpmcQueue.of(TYPE, OPTIONS);
        use(mpmc, mpmc::close, mpmc.newProducer(), mpmc.newConsumer());
      }
    }
    if (!reported.equals("never")) {
      Duration period = Duration.ofMillis(reported.equals("each second") ? 1_000 : 1);
      telemetry = Telemetry.inMemory(Telemetry.Options.defaults().withSamplePeriod(period));
      telemetry.report("queue", queue);
    }
  }

  private void use(Measured made, Runnable closer, Producer<Tick> in, Consumer<Tick> out) {
    queue = made;
    closing = closer;
    producer = in;
    consumer = out;
  }

  /** Frees them. */
  @TearDown
  public void tearDown() {
    if (telemetry != null) {
      telemetry.close();
    }
    closing.run();
  }

  /**
   * Claim, write, commit, poll, read, release.
   *
   * @return something that depends on the record
   */
  @Benchmark
  public long pair() {
    producer.tryClaim().set(number++);
    producer.commit();
    long read = consumer.tryPoll().sum();
    consumer.release();
    return read;
  }
}
