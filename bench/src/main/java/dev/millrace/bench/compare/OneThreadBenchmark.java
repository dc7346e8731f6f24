package dev.millrace.bench.compare;

import dev.millrace.bench.UsualBenchmark;
import dev.millrace.bench.compare.OneThread.Loop;
import dev.millrace.bench.compare.OneThread.Style;
import dev.millrace.bench.compare.OneThread.Subject;
import dev.millrace.bench.compare.OneThread.WarmUp;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
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
@Warmup(iterations = 5, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class OneThreadBenchmark extends UsualBenchmark {
  @Param("queue/spsc/millrace")
  private String subject;

  @Param("BOTH")
  private String warmUp;

  @Param("SINGLES")
  private String style;

  private Loop loop;
  private Style how;

  /**
   * Makes the queue, uses it as the warm-up says, and checks it.
   *
   * @throws InterruptedException never
   */
  @Setup
  public void setUp() throws InterruptedException {
    loop = new Loop(Subject.of(subject));
    how = Style.valueOf(style);
    loop.warmUp(WarmUp.valueOf(warmUp), OneThread.WARM_UP_NANOS);
    loop.check(how);
  }

  /**
   * Frees it.
   *
   * @throws InterruptedException never
   */
  @TearDown
  public void tearDown() throws InterruptedException {
    loop.check(how);
    loop.close();
  }

  /**
   * Moves records.
   *
   * @return the sum of their fields
   * @throws InterruptedException never
   */
  @Benchmark
  @OperationsPerInvocation(OneThread.RECORDS)
  public long move() throws InterruptedException {
    return loop.move(how, OneThread.RECORDS);
  }
}
