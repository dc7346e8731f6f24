package dev.millrace.bench.telemetry;

import dev.millrace.bench.Tick;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.OffHeapQueue;
import dev.millrace.queues.SpscQueue;
import dev.millrace.telemetry.Telemetry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A record in and out of a queue in one thread, with and without telemetry that reports the queue.
 *
 * <pre>java -jar bench/target/benchmarks.jar Reporting -prof gc</pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class ReportingBenchmark {
  private static final int CAPACITY = 1 << 10;

  @Param({"SPSC", "MPSC", "MPMC"})
  private String kind;

  /** How often the queue is asked. */
  @Param({"never", "each second", "each millisecond"})
  private String reported;

  private OffHeapQueue<Tick> queue;
  private Telemetry telemetry;
  private Tick in;
  private Tick out;
  private long number;

  /** Makes the queue, and the telemetry. */
  @Setup
  public void setUp() {
    queue =
        switch (kind) {
          case "SPSC" -> SpscQueue.of(CAPACITY, Tick::new);
          case "MPSC" -> MpscQueue.of(CAPACITY, Tick::new);
          default -> MpmcQueue.of(CAPACITY, Tick::new);
        };
    in = queue.newFlyweight();
    out = queue.newFlyweight();
    if (!reported.equals("never")) {
      Duration period = Duration.ofMillis(reported.equals("each second") ? 1_000 : 1);
      telemetry = Telemetry.inMemory(Telemetry.Options.defaults().withSamplePeriod(period));
      telemetry.report("queue", queue);
    }
  }

  /** Frees them. */
  @TearDown
  public void tearDown() {
    if (telemetry != null) {
      telemetry.close();
    }
    queue.close();
  }

  /**
   * Claim, write, commit, poll, read, release.
   *
   * @return something that depends on the record
   */
  @Benchmark
  public long pair() {
    queue.tryClaim(in);
    in.set(number++);
    queue.commit(in);
    queue.tryPoll(out);
    long read = out.sum();
    queue.release(out);
    return read;
  }
}
