package dev.millrace.bench.memory;

import dev.millrace.bench.UsualBenchmark;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * Passes over a memory, written or read from end to end, after the appendix of "Off-heap Memory in
 * Apache Flink and the curious JIT compiler" (S. Ewen, 2015): one loop calls an abstract class for
 * each element. The figure to read is {@code accesses}: how many in a microsecond.
 *
 * <p>Each kind is measured {@link Mix#EXCLUSIVE}, when the JVM has seen no other, {@link
 * Mix#LOADED}, after one other went through a copy of the loop, {@link Mix#TWO}, after one other
 * went through the same loop, and {@link Mix#MIXED}, after all did: the price of a call that is not
 * inlined. What the compiler makes of a loop, such as vector instructions, is part of the result.
 * All memory is written once before it is measured, so no page is touched for the first time.
 *
 * <p>All of it takes hours. The first command is for all rows, with short iterations; the second
 * makes one table of them, with a column for each kind and mix. The third shows what the compiler
 * has inlined into a loop, and what it has not and why.
 *
 * <pre>
 * java -jar bench/target/benchmarks.jar MemoryBenchmark -wi 3 -w 300ms -i 3 -r 300ms \
 *     -rf json -rff memory.json
 * bench/compare table memory.json --columns kind,mix --metric accesses --nanos
 * java -jar bench/target/benchmarks.jar MemoryBenchmark.read -f 1 -wi 3 -i 1 \
 *     -p size=32768 -p access=BLOCK -p kind=MILLRACE -p mix=TWO -jvmArgsAppend \
 *     "-XX:+UnlockDiagnosticVMOptions -XX:CompileCommand=PrintInlining,*Loop.readBlocks"
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
// The heap holds the largest array, and limits direct buffers; Agrona needs the JDK's internals.
@Fork(
    value = 3,
    jvmArgs = {
      "-Xms3g",
      "-Xmx3g",
      "--enable-native-access=ALL-UNNAMED",
      "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"
    })
public class MemoryBenchmark extends UsualBenchmark {
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
    /** Elements read or written. */
    public long accesses;
  }

  /**
   * Shows the loop what the mix says, and fills the memory.
   *
   * @param blackhole takes what was read on the way
   */
  @Setup
  public void setUp(Blackhole blackhole) {
    blackhole.consume(mix.prepare(kind, access));
    memory = kind.allocate(size, access);
    Loop.write(memory, access, pass);
  }

  /** Frees it. */
  @TearDown
  public void tearDown() {
    memory.close();
  }

  /**
   * Writes all of it.
   *
   * @param traffic counts
   */
  @Benchmark
  public void write(Traffic traffic) {
    Loop.write(memory, access, pass++);
    traffic.accesses += size / access.elementBytes();
  }

  /**
   * Reads all of it.
   *
   * @param traffic counts
   * @return the checksum
   */
  @Benchmark
  public long read(Traffic traffic) {
    traffic.accesses += size / access.elementBytes();
    return Loop.read(memory, access);
  }
}
