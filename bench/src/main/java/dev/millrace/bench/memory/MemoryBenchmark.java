package dev.millrace.bench.memory;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * Passes over a memory, written or read from end to end, after the appendix of "Off-heap Memory in
 * Apache Flink and the curious JIT compiler" (S. Ewen, 2015). The figure to read is {@code bytes}:
 * bytes per microsecond, or megabytes per second, comparable between all accesses and sizes.
 *
 * <p>{@code shared} is the post's main experiment: one loop that calls an abstract class for each
 * element. {@code own} is what the post calls pure: a loop that knows its kind. Either is measured
 * {@link Mix#EXCLUSIVE}, when the JVM has seen no other kind, {@link Mix#TWO}, after one other kind
 * went through the same loops, and {@link Mix#MIXED}, after all did. What {@code MIXED} does to
 * {@code shared} is the price of a call that is not inlined. What it does to {@code own} is left
 * over from other users of the JDK's code: for buffers and segments also of the very call site,
 * which has seen them on the heap and off it.
 *
 * <p>What the compiler makes of a loop, such as vector instructions, is part of the result. All
 * memory is written once before it is measured, so no page is touched for the first time.
 *
 * <p>In earnest, on a machine that does nothing else; all of it takes hours, so choose:
 *
 * <pre>
 * bench/memory quick
 * java -jar bench/target/benchmarks.jar MemoryBenchmark.own -p access=LONG -rf json
 * java -jar bench/target/benchmarks.jar MemoryBenchmark.shared -p size=32768 -p kind=MILLRACE,ARRAY
 * bench/memory report jmh-result.json
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
// The heap holds the largest array, and limits direct buffers; Agrona needs the JDK's internals.
@Fork(
    value = 3,
    jvmArgs = {
      "-Xms3g",
      "-Xmx3g",
      "--enable-native-access=ALL-UNNAMED",
      "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"
    })
public class MemoryBenchmark {
  @Param private Kind kind;

  @Param({"32768", "1073741824"})
  private int size;

  @Param private Access access;

  @Param private Mix mix;

  private Memory memory;
  private int pass;

  /** How much was accessed. */
  @State(Scope.Thread)
  @AuxCounters
  public static class Traffic {
    /** Bytes read or written. */
    public long bytes;
  }

  /**
   * Shows the loops what the mix says, and fills the memory.
   *
   * @param blackhole takes what was read on the way
   */
  @Setup
  public void setUp(Blackhole blackhole) {
    blackhole.consume(mix.prepare(kind, access));
    memory = kind.allocate(size, access);
    OwnLoop.write(memory, access, pass);
  }

  /** Frees it. */
  @TearDown
  public void tearDown() {
    memory.close();
  }

  /**
   * Writes all of it by the kind's own loop.
   *
   * @param traffic counts
   */
  @Benchmark
  public void ownWrite(Traffic traffic) {
    OwnLoop.write(memory, access, pass++);
    traffic.bytes += size;
  }

  /**
   * Reads all of it by the kind's own loop.
   *
   * @param traffic counts
   * @return the checksum
   */
  @Benchmark
  public long ownRead(Traffic traffic) {
    traffic.bytes += size;
    return OwnLoop.read(memory, access);
  }

  /**
   * Writes all of it by the loop that is common to all kinds.
   *
   * @param traffic counts
   */
  @Benchmark
  public void sharedWrite(Traffic traffic) {
    SharedLoop.write(memory, access, pass++);
    traffic.bytes += size;
  }

  /**
   * Reads all of it by the loop that is common to all kinds.
   *
   * @param traffic counts
   * @return the checksum
   */
  @Benchmark
  public long sharedRead(Traffic traffic) {
    traffic.bytes += size;
    return SharedLoop.read(memory, access);
  }
}
