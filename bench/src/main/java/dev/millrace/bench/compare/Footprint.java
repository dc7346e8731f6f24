package dev.millrace.bench.compare;

import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Jvm;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jol.info.GraphLayout;

/**
 * How much memory a queue from one producer to one consumer takes, with both its ends and, where
 * objects are used in turn, with these. On the heap it is what JOL reaches from there, less what
 * another queue of the kind reaches too: classes' constants and the like.
 *
 * @param contender the contender's name
 * @param capacity the queue's
 * @param emptyBytes heap, when nothing is in it
 * @param fullBytes heap, when nothing more fits
 * @param offHeapBytes memory off the heap, as it was asked for
 */
record Footprint(
    String contender, int capacity, long emptyBytes, long fullBytes, long offHeapBytes) {
  static final List<Integer> CAPACITIES = List.of(4_096, 65_536);

  /** Without the linked list: JOL keeps the path to each object, and the heap is not enough. */
  static final List<Contenders> CONTENDERS =
      List.of(
          Contenders.MILLRACE,
          Contenders.AGRONA,
          Contenders.JCTOOLS,
          Contenders.JCTOOLS_NEW,
          Contenders.DISRUPTOR,
          Contenders.ARRAY_BLOCKING_QUEUE,
          Contenders.ARRAY_BLOCKING_QUEUE_NEW);

  /**
   * JOL tells objects apart by their address, so the collector must move none: what is allocated
   * fits into the young generation, which is emptied before each contender. It looks into records
   * only if it may work out where their fields are, and asks the JVM for sizes only if it may
   * attach to it.
   */
  private static final List<String> FLAGS =
      List.of(
          "-XX:+UseSerialGC",
          "-Xmn900m",
          "-XX:+EnableDynamicAgentLoading",
          "-Djdk.attach.allowAttachSelf=true",
          "-Djol.magicFieldOffset=true");

  /** All of them, from a JVM of its own. */
  static List<Footprint> all() throws IOException, InterruptedException {
    Survey survey = new Survey(CAPACITIES, CONTENDERS);
    return List.of(Child.run(survey, FLAGS, Child.MOST_SECONDS, Footprint[].class));
  }

  /** Finds them in this JVM. */
  private record Survey(List<Integer> capacities, List<Contenders> contenders)
      implements Child.Job<Footprint[]> {
    @Override
    public Footprint[] run() {
      return capacities.stream()
          .flatMap(capacity -> contenders.stream().map(one -> of(one, capacity)))
          .toArray(Footprint[]::new);
    }
  }

  /** The options of its JVM. */
  static List<String> flags() {
    return Stream.concat(Child.FLAGS.stream(), FLAGS.stream()).toList();
  }

  /** What a thread on each side holds on to. */
  private record Pair(Contender queue, Ends sender, Ends receiver) {
    static Pair of(Contenders contender, Work work) {
      Contender queue = contender.make(work);
      return new Pair(queue, queue.sender(), queue.receiver());
    }

    void fill() {
      long number = 0;
      while (sender.send(number)) {
        number++;
      }
    }

    GraphLayout graph() {
      return GraphLayout.parseInstance(queue, sender, receiver);
    }
  }

  private static Footprint of(Contenders contender, int capacity) {
    Work work = Work.way("footprint", "footprint", 1, 1).withCapacity(capacity);
    System.gc(); // makes room, so that no more is needed before the end
    long collections = Jvm.collections();
    Pair other = Pair.of(contender, work);
    other.fill();
    // before the one that counts is made: cleaners of buffers are in a list, and reach older ones
    GraphLayout shared = other.graph();
    Pair ends = Pair.of(contender, work);
    GraphLayout empty = ends.graph().subtract(shared);
    ends.fill();
    GraphLayout full = ends.graph().subtract(shared);
    if (Jvm.collections() != collections) {
      throw new IllegalStateException(
          "the collector must move nothing meanwhile: contender=%s, capacity=%d"
              .formatted(contender.id(), capacity));
    }
    Footprint found =
        new Footprint(
            contender.id(),
            capacity,
            empty.totalSize(),
            full.totalSize(),
            ends.queue().offHeapBytes());
    other.queue().close();
    ends.queue().close();
    return found;
  }
}
