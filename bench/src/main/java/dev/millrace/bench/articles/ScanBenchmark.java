package dev.millrace.bench.articles;

import dev.millrace.bench.Tick;
import dev.millrace.bench.UsualBenchmark;
import dev.millrace.core.internal.NativeMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A million records of 24 bytes read one after the other: linked objects, in the order in which
 * they were made and in any order, an array of objects in both, and records off the heap. Time a
 * record.
 *
 * <pre>java -jar bench/target/benchmarks.jar ScanBenchmark</pre>
 */
@State(Scope.Thread)
@Fork(jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"})
public class ScanBenchmark extends UsualBenchmark {
  private static final int RECORDS = 1 << 20;
  private static final long RECORD_BYTES = 3 * Long.BYTES;

  private final NativeMemory memory = NativeMemory.allocate(RECORDS * RECORD_BYTES);
  private final Tick view = new Tick(memory.segment());

  @Param({"linkedInOrder", "linkedInAnyOrder", "arrayInOrder", "arrayInAnyOrder", "offHeap"})
  private String records;

  private Node[] inOrder;
  private Node[] inAnyOrder;

  private static final class Node {
    final long time;
    final long price;
    final long volume;
    Node next;

    Node(long number) {
      time = number;
      price = number + 1;
      volume = number + 2;
    }

    long sum() {
      return time + price + volume;
    }
  }

  /** Makes the records. */
  @Setup
  public void setUp() {
    inOrder = nodes();
    List<Node> shuffled = new ArrayList<>(Arrays.asList(nodes()));
    Collections.shuffle(shuffled, new Random(1));
    inAnyOrder = shuffled.toArray(Node[]::new);
    link(inOrder);
    link(inAnyOrder);
    for (int i = 0; i < RECORDS; i++) {
      view.moveTo(i * RECORD_BYTES);
      view.set(i);
    }
  }

  private static Node[] nodes() {
    Node[] nodes = new Node[RECORDS];
    Arrays.setAll(nodes, Node::new);
    return nodes;
  }

  private static void link(Node... nodes) {
    for (int i = 1; i < nodes.length; i++) {
      nodes[i - 1].next = nodes[i];
    }
  }

  /** Frees them. */
  @TearDown
  public void tearDown() {
    memory.close();
  }

  private static long sumOf(Node first) {
    long sum = 0;
    for (Node node = first; node != null; node = node.next) {
      sum += node.sum();
    }
    return sum;
  }

  private static long sumOf(Node... nodes) {
    long sum = 0;
    for (Node node : nodes) {
      sum += node.sum();
    }
    return sum;
  }

  /**
   * Reads all.
   *
   * @return the sum of all fields
   */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long scan() {
    return switch (records) {
      case "linkedInOrder" -> sumOf(inOrder[0]);
      case "linkedInAnyOrder" -> sumOf(inAnyOrder[0]);
      case "arrayInOrder" -> sumOf(inOrder);
      case "arrayInAnyOrder" -> sumOf(inAnyOrder);
      default -> sumOffHeap();
    };
  }

  private long sumOffHeap() {
    long sum = 0;
    for (int i = 0; i < RECORDS; i++) {
      view.moveTo(i * RECORD_BYTES);
      sum += view.sum();
    }
    return sum;
  }
}
