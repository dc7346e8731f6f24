package dev.millrace.bench;

import dev.millrace.queues.SpscQueue;
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
 * A record in and out of an {@link SpscQueue} in one thread: the instructions alone, without any
 * traffic between cores, and what they allocate.
 *
 * <pre>java -jar bench/target/benchmarks.jar SpscPair -prof gc</pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class SpscPairBenchmark {
  private static final int RUN = 64;

  @Param({"64", "65536"})
  private int capacity;

  private SpscQueue<Tick> queue;
  private Tick in;
  private Tick out;
  private long number;
  private long sum;

  /** Makes the queue. */
  @Setup
  public void setUp() {
    queue = SpscQueue.of(capacity, Tick::new);
    in = queue.newFlyweight();
    out = queue.newFlyweight();
  }

  /** Frees it. */
  @TearDown
  public void tearDown() {
    queue.close();
  }

  /**
   * Claim, write, commit, poll, read, release.
   *
   * @return something that depends on the record
   */
  @Benchmark
  public long one() {
    queue.tryClaim(in);
    in.set(number++);
    queue.commit(in);
    queue.tryPoll(out);
    long read = out.sum();
    queue.release(out);
    return read;
  }

  /**
   * The same in runs; the time is that of one record.
   *
   * @return something that depends on the records
   */
  @Benchmark
  @OperationsPerInvocation(RUN)
  public long run() {
    queue.tryClaim(in, RUN);
    for (int i = 0; i < RUN; i++, in.next()) {
      in.set(number++);
    }
    queue.commit(in);
    sum = 0;
    queue.drain(out, tick -> sum += tick.sum(), RUN);
    return sum;
  }
}
