package dev.millrace.bench.articles;

import dev.millrace.bench.Tick;
import dev.millrace.bench.UsualBenchmark;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
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
 * they were made and in any order, an array of objects in both, records off the heap, and a history
 * ring, whose reader copies each record and makes sure that no writer came between. Time a record.
 *
 * <pre>java -jar bench/target/benchmarks.jar ScanBenchmark</pre>
 */
@State(Scope.Thread)
@Fork(jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"})
public class ScanBenchmark extends UsualBenchmark {
  private static final int RECORDS = 1 << 20;
  private static final long RECORD_BYTES = 3 * Long.BYTES;

  private static final int WINDOW = 256; // records that the ring's reader copies at a time

  private final NativeMemory memory = NativeMemory.allocate(RECORDS * RECORD_BYTES);
  private final Tick view = new Tick(memory.segment());

  private final HistoryRing<Tick> ring = HistoryRing.single(FlyweightType.of(Tick::new), RECORDS);
  private final HistoryReader<Tick> reader = ring.newReader(WINDOW);

  /** What is read. */
  @Param({
    "linkedInOrder",
    "linkedInAnyOrder",
    "arrayInOrder",
    "arrayInAnyOrder",
    "offHeap",
    "historyRing"
  })
  String records;

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
    HistoryProducer<Tick> producer = ring.producer();
    for (int i = 0; i < RECORDS; i++) {
      view.moveTo(i * RECORD_BYTES);
      view.set(i);
      producer.tryClaim().set(i);
      producer.commit();
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
    reader.close();
    ring.close();
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
      case "offHeap" -> sumOffHeap();
      default -> sumOfRing();
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

  private long sumOfRing() {
    long sum = 0;
    reader.seek(0);
    for (int read = reader.tryPoll(WINDOW); read > 0; read = reader.tryPoll(WINDOW)) {
      for (int i = 0; i < read; i++) {
        sum += reader.at(i).sum();
      }
    }
    return sum;
  }
}
