package dev.millrace.bench.telemetry;

import dev.millrace.bench.UsualBenchmark;
import java.io.IOException;
import java.util.function.LongConsumer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A record told by one thread, to which nobody listens: what it costs that thread, and what it
 * allocates.
 *
 * <pre>java -jar bench/target/benchmarks.jar TraceBenchmark -prof gc</pre>
 */
@State(Scope.Thread)
@Fork(
    value = 3,
    jvmArgsAppend = {
      "-Xmx1g",
      "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
      "-Dlog4j2.contextSelector=org.apache.logging.log4j.core.async.AsyncLoggerContextSelector"
    })
public class TraceBenchmark extends UsualBenchmark {
  private static final int GROUP = 64;

  /** A rest before each group, in which a background thread can write what it was given. */
  private static final long REST_NANOS = 100_000;

  @Param({
    "millrace",
    "millrace-file",
    "millrace-many",
    "agrona-broadcast",
    "jfr",
    "log4j-async",
    "millrace-time-given",
    "millrace-many-time-given",
    "agrona-broadcast-no-time",
    "millrace-counter",
    "agrona-counter",
    "millrace-sole-counter",
    "agrona-sole-counter"
  })
  private String recorder;

  private LongConsumer told;
  private AutoCloseable closing;
  private long number;

  /** Rests of one thread. */
  @State(Scope.Thread)
  public static class Rest {
    /** Rests, spinning, so that the processor stays as it is. */
    @Setup(Level.Invocation)
    public void rest() {
      long end = System.nanoTime() + REST_NANOS;
      while (System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
    }
  }

  /**
   * Makes the recorder.
   *
   * @throws IOException if its file cannot be made
   */
  @Setup
  public void setUp() throws IOException {
    Recorder made = Recorder.of(recorder);
    told = made.numbers();
    closing = made.closing();
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

  /** One record after the other, flat out. */
  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  public void one() {
    told.accept(number++);
  }

  /**
   * A group of 64 records; the times are those of groups.
   *
   * @param rest comes before it
   */
  @Benchmark
  @BenchmarkMode(Mode.SampleTime)
  public void groupOf64(Rest rest) {
    for (int i = 0; i < GROUP; i++) {
      told.accept(number++);
    }
  }
}
