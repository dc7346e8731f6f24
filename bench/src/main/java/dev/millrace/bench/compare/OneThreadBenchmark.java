package dev.millrace.bench.compare;

import dev.millrace.bench.compare.OneThread.Loop;
import dev.millrace.bench.compare.OneThread.Style;
import dev.millrace.bench.compare.OneThread.Subject;
import dev.millrace.bench.compare.OneThread.WarmUp;
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
  @Param("queue/spsc/millrace")
  private String subject;

  @Param("BOTH")
  private String warmUp;

  @Param("SINGLES")
  private String style;

  private Loop loop;
  private Style how;

  /** Makes the queue, uses it as the warm-up says, and checks it. */
  @Setup
  public void setUp() {
    loop = new Loop(Subject.of(subject));
    how = Style.valueOf(style);
    loop.warmUp(WarmUp.valueOf(warmUp), OneThread.WARM_UP_NANOS);
    loop.check(how);
  }

  /** Frees it. */
  @TearDown
  public void tearDown() {
    loop.check(how);
    loop.close();
  }

  /**
   * Moves records.
   *
   * @return the sum of their fields
   */
  @Benchmark
  @OperationsPerInvocation(OneThread.RECORDS)
  public long move() {
    return loop.move(how, OneThread.RECORDS);
  }
}
