package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers that share events while producers and those behind go on, each on a thread. */
@ParameterizedClass
@EnumSource(Producers.class)
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConsumerThreadsTest {
  private static final int WORKERS = 3;

  @Parameter Producers producers;

  private interface Handler {
    void handle(long sequence) throws InterruptedException;
  }

  /** Handles all events until the end, and says how many. */
  private static long takeAll(SequenceConsumer barrier, int limit, Handler handler)
      throws InterruptedException {
    long taken = 0;
    int count;
    while ((count = barrier.poll(limit)) > 0) {
      assertThat(count).isBetween(1, limit);
      for (int i = 0; i < count; i++) {
        handler.handle(barrier.sequence() + i);
      }
      taken += count;
      barrier.release();
    }
    return taken;
  }

  /** Publishes the events base, base + step, ..., in runs of random length. */
  private static long produce(
      Sequencer sequencer, long[] values, int base, int step, int events, int longest)
      throws InterruptedException {
    Random random = new Random(base);
    long sum = 0;
    for (int event = base; event < events; ) {
      int count = Math.min(1 + random.nextInt(longest), (events - 1 - event) / step + 1);
      long first = sequencer.claim(count);
      assertThat(first).isNotNegative();
      for (int i = 0; i < count; i++, event += step) {
        values[(int) (first + i) & values.length - 1] = event;
        sum += event;
      }
      sequencer.commit(first, count);
    }
    return sum;
  }

  /** Each event goes to one worker, after which who is behind finds that worker's mark. */
  private void share(WaitStrategy strategy, int capacity, int events, int longest)
      throws Exception {
    Sequencer sequencer = Sequencer.of(producers.options(capacity).withProducerWaits(strategy));
    List<SequenceConsumer> workers = sequencer.newSharedConsumers(WORKERS, strategy);
    SequenceConsumer behind = sequencer.newConsumer(strategy, workers.get(1));
    long[] values = new long[capacity];
    long[] marks = new long[capacity];
    int mask = capacity - 1;
    List<BitSet> seen = new ArrayList<>();
    List<TestCall<Long>> takes = new ArrayList<>();
    for (SequenceConsumer worker : workers) {
      BitSet own = new BitSet();
      seen.add(own);
      takes.add(
          TestCall.of(
              () ->
                  takeAll(
                      worker,
                      longest,
                      sequence -> {
                        int slot = (int) sequence & mask;
                        own.set((int) values[slot]);
                        marks[slot] = sequence * 31 + values[slot];
                      })));
    }
    long[] sum = new long[1];
    long[] next = new long[1];
    TestCall<Long> last =
        TestCall.of(
            () ->
                takeAll(
                    behind,
                    longest,
                    sequence -> {
                      int slot = (int) sequence & mask;
                      assertThat(sequence).isEqualTo(next[0]++);
                      assertThat(marks[slot]).isEqualTo(sequence * 31 + values[slot]);
                      sum[0] += values[slot];
                    }));
    int threads = producers == Producers.ONE ? 1 : 2;
    List<TestCall<Long>> puts = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int base = i;
      puts.add(TestCall.of(() -> produce(sequencer, values, base, threads, events, longest)));
    }
    long expected = TestCall.sum(puts);
    sequencer.complete();
    long taken = 0;
    BitSet all = new BitSet();
    for (int worker = 0; worker < WORKERS; worker++) {
      taken += takes.get(worker).result();
      assertThat(all.intersects(seen.get(worker))).as("taken twice").isFalse();
      all.or(seen.get(worker));
    }
    assertThat(taken).isEqualTo(events);
    assertThat(all.cardinality()).isEqualTo(events);
    assertThat(last.result()).isEqualTo(events);
    assertThat(sum[0]).isEqualTo(expected);
    assertThat(sequencer.remainingCapacity()).isEqualTo(capacity);
    sequencer.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 16, 1024})
  void workers_shareEachEventOnce(int capacity) throws Exception {
    int events = capacity == 2 ? 3_000 : capacity == 16 ? 40_000 : 600_000;
    share(WaitStrategy.yielding(), capacity, events, Math.min(capacity, 7));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8})
  void workers_withEachStrategy_shareEachEventOnce(int capacity) throws Exception {
    for (WaitStrategy strategy : Waits.strategies()) {
      boolean spins = strategy.spins() == WaitStrategy.FOREVER;
      share(strategy, capacity, spins ? 50 : 1_500, 2);
    }
  }

  /**
   * A worker's event waits until all before it got through the consumer behind. Who waits for the
   * least can go on, for all before it is released: those behind and the producers must not sleep.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void workers_whenTheyWaitForThoseBehind_areNotLeftAlone(int count) throws Exception {
    int capacity = 4;
    int events = 120_000;
    Sequencer sequencer =
        Sequencer.of(producers.options(capacity).withProducerWaits(Waits.PARKS_AT_ONCE));
    List<SequenceConsumer> workers = sequencer.newSharedConsumers(count, WaitStrategy.yielding());
    SequenceConsumer behind = sequencer.newConsumer(Waits.PARKS_AT_ONCE, workers.getFirst());
    Sequence handled = new Sequence();
    List<TestCall<Long>> takes = new ArrayList<>();
    for (SequenceConsumer worker : workers) {
      takes.add(
          TestCall.of(
              () ->
                  takeAll(
                      worker,
                      1,
                      sequence -> {
                        long claimed = Math.min(sequence + capacity, events);
                        while (handled.getAcquire() < sequence
                            || sequencer.claimedEnd() < claimed) {
                          Thread.yield();
                        }
                      })));
    }
    TestCall<Long> last =
        TestCall.of(() -> takeAll(behind, 1, sequence -> handled.setRelease(sequence + 1)));
    for (int event = 0; event < events; event++) {
      assertThat(sequencer.claim()).isEqualTo(event);
      sequencer.commit(event);
    }
    sequencer.complete();
    assertThat(last.result()).isEqualTo(events);
    long taken = TestCall.sum(takes);
    assertThat(taken).isEqualTo(events);
    sequencer.close();
  }
}
