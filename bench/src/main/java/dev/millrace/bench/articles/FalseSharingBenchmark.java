package dev.millrace.bench.articles;

import dev.millrace.bench.UsualBenchmark;
import dev.millrace.core.Sequence;
import java.util.concurrent.atomic.AtomicLongArray;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Two threads, each of which counts in a place of its own: side by side in one cache line, and
 * padded.
 *
 * <pre>java -jar bench/target/benchmarks.jar FalseSharingBenchmark</pre>
 */
@State(Scope.Group)
@Fork(5)
public class FalseSharingBenchmark extends UsualBenchmark {
  private static final int FIRST = 8; // the array's head lies before it

  private final AtomicLongArray adjacent = new AtomicLongArray(2 * FIRST + 2);
  private final Sequence one = new Sequence();
  private final Sequence other = new Sequence();

  private void count(int place) {
    adjacent.setRelease(place, adjacent.getPlain(place) + 1);
  }

  private static void count(Sequence sequence) {
    sequence.setRelease(sequence.getPlain() + 1);
  }

  /** One of two neighbours. */
  @Benchmark
  @Group("adjacent")
  public void adjacentOne() {
    count(FIRST);
  }

  /** The other. */
  @Benchmark
  @Group("adjacent")
  public void adjacentOther() {
    count(FIRST + 1);
  }

  /** One of two with lines of their own. */
  @Benchmark
  @Group("padded")
  public void paddedOne() {
    count(one);
  }

  /** The other. */
  @Benchmark
  @Group("padded")
  public void paddedOther() {
    count(other);
  }
}
