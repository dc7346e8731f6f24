package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import dev.millrace.testkit.TestCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random graphs of consumers, alone and in groups, on real threads. Each of them accounts for each
 * event; what a consumer writes into the slots, those behind it must find, and in the end the
 * producer that gets the slot again. All that is shared is plain arrays, so a missing order shows.
 */
class RandomGraphTest {
  private static final int GRAPHS = 30;
  private static final int PRODUCER_SHIFT = 32;
  private static final long NEVER = -1;

  static LongStream seeds() {
    return LongStream.range(0, GRAPHS);
  }

  /** A consumer, or a group of them, and those that it is behind. */
  private record Node(
      List<SequenceConsumer> barriers, int index, List<Node> upstream, boolean isShared) {}

  /** What one consumer saw of each producer's events. */
  private static final class Seen {
    final BitSet[] events;
    private final int[] last;

    Seen(int producers) {
      this.events = new BitSet[producers];
      this.last = new int[producers];
      Arrays.setAll(events, producer -> new BitSet());
      Arrays.fill(last, -1);
    }

    void add(long value, boolean isShared) {
      int producer = (int) (value >> PRODUCER_SHIFT);
      int event = (int) value;
      int before = last[producer];
      if (isShared ? event <= before : event != before + 1) {
        throw new AssertionError(event + " of " + producer + " came after " + before);
      }
      last[producer] = event;
      events[producer].set(event);
    }
  }

  private static WaitStrategy strategy(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> WaitStrategy.yielding();
      case 1 -> WaitStrategy.sleeping(Duration.ofNanos(1_000 << random.nextInt(6)));
      case 2 -> WaitStrategy.parking();
      case 3 -> Waits.PARKS_AT_ONCE;
      default -> new WaitStrategy(0, 2, WaitStrategy.FOREVER);
    };
  }

  /** The ring, its consumers, and its slots. */
  private static final class Graph {
    final int producers;
    final int events;
    final int mask;
    final Sequencer sequencer;
    final List<Node> nodes = new ArrayList<>();

    /** By slot: what was published there last, under which sequence. */
    final long[] values;

    final long[] published;

    /** By node and slot: the sequence that it handled there last. */
    final long[][] marks;

    Graph(long seed) {
      Random random = new Random(seed);
      Producers kind = random.nextBoolean() ? Producers.ONE : Producers.MANY;
      this.producers = kind == Producers.ONE ? 1 : 1 + random.nextInt(3);
      int capacity = 2 << random.nextInt(10);
      this.events = (capacity < 8 ? 6_000 : 24_000) / producers;
      this.mask = capacity - 1;
      RingOptions options = kind.options(capacity).withProducerWaits(strategy(random));
      if (kind == Producers.MANY && random.nextInt(3) == 0) {
        options = options.withStallLimit(Duration.ofDays(1)); // other ways, no other results
      }
      this.sequencer = Sequencer.of(options);
      int count = 1 + random.nextInt(6);
      for (int index = 0; index < count; index++) {
        nodes.add(node(index, random));
      }
      this.values = new long[capacity];
      this.published = filled(capacity);
      this.marks = new long[count][];
      Arrays.setAll(marks, node -> filled(capacity));
    }

    private static long[] filled(int length) {
      long[] sequences = new long[length];
      Arrays.fill(sequences, NEVER);
      return sequences;
    }

    private Node node(int index, Random random) {
      List<Node> upstream = new ArrayList<>();
      for (Node one : nodes) {
        if (random.nextInt(3) == 0) {
          upstream.add(one);
        }
      }
      SequenceConsumer[] before =
          upstream.stream()
              .map(one -> one.barriers.get(random.nextInt(one.barriers.size())))
              .toArray(SequenceConsumer[]::new);
      boolean isShared = random.nextBoolean();
      WaitStrategy strategy = strategy(random);
      List<SequenceConsumer> barriers =
          isShared
              ? sequencer.newSharedConsumers(1 + random.nextInt(3), strategy, before)
              : List.of(sequencer.newConsumer(strategy, before));
      return new Node(barriers, index, upstream, isShared);
    }

    // ---- producers ----

    /** Publishes all of a producer's events and says how many slots it gave back. */
    private long produce(int producer, Random random) throws InterruptedException {
      long aborted = 0;
      int abortOdds = 2 + random.nextInt(20);
      int longest = 1 + random.nextInt(Math.min(mask + 1, 8));
      for (int event = 0; event < events; ) {
        int count = Math.min(1 + random.nextInt(longest), events - event);
        long first = random.nextBoolean() ? sequencer.claim(count) : sequencer.tryClaim(count);
        if (first == Sequencer.FULL) {
          Thread.yield();
          continue;
        }
        if (first == Sequencer.CLOSED) {
          return aborted; // another thread has failed, and says why
        }
        for (long sequence = first; sequence < first + count; sequence++) {
          assertAllAreThrough(sequence);
        }
        if (random.nextInt(abortOdds) == 0) {
          sequencer.abort(first, count);
          aborted += count;
          continue;
        }
        for (long sequence = first; sequence < first + count; sequence++) {
          values[(int) sequence & mask] = ((long) producer << PRODUCER_SHIFT) + event++;
          published[(int) sequence & mask] = sequence;
        }
        sequencer.commit(first, count);
      }
      return aborted;
    }

    private void assertAllAreThrough(long sequence) {
      int slot = (int) sequence & mask;
      for (long[] handled : marks) {
        if (handled[slot] != published[slot]) {
          throw new AssertionError(
              "slot of " + sequence + ": " + published[slot] + " but " + handled[slot]);
        }
      }
    }

    // ---- consumers ----

    private Seen consume(Node node, SequenceConsumer barrier, Random random)
        throws InterruptedException {
      Seen seen = new Seen(producers);
      int longest = 1 + random.nextInt(32);
      long last = NEVER;
      while (true) {
        int limit = 1 + random.nextInt(longest);
        int count = random.nextInt(4) == 0 ? barrier.tryPoll(limit) : barrier.poll(limit);
        if (count == 0) {
          if (barrier.isDrained()) {
            return seen;
          }
          Thread.yield();
          continue;
        }
        long first = barrier.sequence();
        if (count > limit || first <= last) {
          throw new AssertionError(count + " from " + first + " after " + last);
        }
        for (long sequence = first; sequence < first + count; sequence++) {
          handle(node, sequence, seen);
        }
        last = first + count - 1;
        barrier.release();
      }
    }

    private void handle(Node node, long sequence, Seen seen) {
      int slot = (int) sequence & mask;
      if (published[slot] != sequence) {
        throw new AssertionError("at " + sequence + ": published " + published[slot]);
      }
      for (Node before : node.upstream) {
        if (marks[before.index][slot] != sequence) {
          throw new AssertionError(
              "at " + sequence + ": upstream was at " + marks[before.index][slot]);
        }
      }
      if (marks[node.index][slot] >= sequence) {
        throw new AssertionError("at " + sequence + ": was there before");
      }
      marks[node.index][slot] = sequence;
      seen.add(values[slot], node.isShared);
    }

    private void assertSawAll(List<Seen> seen) {
      for (int producer = 0; producer < producers; producer++) {
        BitSet all = new BitSet();
        for (Seen one : seen) {
          assertThat(all.intersects(one.events[producer])).as("taken twice").isFalse();
          all.or(one.events[producer]);
        }
        assertThat(all.cardinality()).isEqualTo(events);
        assertThat(all.length()).isEqualTo(events);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void graph_ofAnyForm_passesEachEventOnceAndInOrder(long seed) throws Exception {
    Graph graph = new Graph(seed);
    Sequencer sequencer = graph.sequencer;
    Random random = new Random(-1 - seed);
    List<List<TestCall<Seen>>> consumers = new ArrayList<>();
    for (Node node : graph.nodes) {
      consumers.add(
          TestCall.each(
              node.barriers.size(),
              member -> {
                Random own = new Random(random.nextLong());
                return orFail(sequencer, () -> graph.consume(node, node.barriers.get(member), own));
              }));
    }
    List<TestCall<Long>> producers =
        TestCall.each(
            graph.producers,
            producer -> {
              Random own = new Random(random.nextLong());
              return orFail(sequencer, () -> graph.produce(producer, own));
            });
    long aborted = TestCall.sum(producers);
    sequencer.complete();
    for (List<TestCall<Seen>> members : consumers) {
      graph.assertSawAll(TestCall.results(members));
    }
    assertEnded(graph, aborted);
    sequencer.close();
  }

  /** All slots are free again, all counts add up. */
  private static void assertEnded(Graph graph, long aborted) {
    Sequencer sequencer = graph.sequencer;
    boolean hasMany = sequencer instanceof MultiProducerSequencer;
    long all = (long) graph.events * graph.producers + (hasMany ? aborted : 0);
    assertThat(sequencer.claimedEnd()).isEqualTo(all);
    assertThat(sequencer.publishedEnd()).isEqualTo(all);
    assertThat(sequencer.remainingCapacity()).isEqualTo(sequencer.capacity());
    assertThat(Counters.of(sequencer))
        .isEqualTo(new Counters(all, hasMany ? aborted : 0, 0, 0, 0, 0, 0));
    for (Node node : graph.nodes) {
      for (SequenceConsumer barrier : node.barriers) {
        assertThat(barrier.progress()).isEqualTo(all);
        assertThat(barrier.isAtWork()).isFalse();
      }
    }
  }

  /** If it fails all others are let out, so that the failure is what is told. */
  private static <T> Callable<T> orFail(Sequencer sequencer, Callable<T> body) {
    return () -> {
      try {
        return body.call();
      } catch (Throwable e) {
        sequencer.fail(e);
        throw e;
      }
    };
  }
}
