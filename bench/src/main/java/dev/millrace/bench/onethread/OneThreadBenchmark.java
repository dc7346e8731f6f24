package dev.millrace.bench.onethread;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The time of a record in and out of a queue, in one thread. {@code bench/compare onethread} runs
 * it in many JVMs and makes a table.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class OneThreadBenchmark {
  private static final int RECORDS = 1 << 14;
  private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  @Param private Contender contender;
  @Param private WarmUp warmUp;
  @Param private Style style;

  private Loop loop;

  /** Makes the queue, uses it as the warm-up says, and checks it. */
  @Setup
  public void setUp() {
    loop = contender.newLoop();
    warmUp.run(contender, loop, WARM_UP_NANOS);
    loop.check(style);
  }

  /** Frees it. */
  @TearDown
  public void tearDown() {
    loop.check(style);
    loop.close();
  }

  /**
   * Moves records.
   *
   * @return the sum of their fields
   */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long move() {
    return loop.move(style, RECORDS, 0);
  }
}
