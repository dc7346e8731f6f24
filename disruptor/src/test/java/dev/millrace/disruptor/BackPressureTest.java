package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.Snapshot.StageSnapshot;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.disruptor.TestRing.Kind;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What a producer gets of a full ring whose first stage is held up. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackPressureTest {
  private static final int CAPACITY = 16;

  private final HeldHandler held = new HeldHandler();
  private TestRing ring;

  private Pipeline<Event> heldPipeline(RingOptions options, Kind kind) throws Exception {
    ring = kind.of(options);
    Pipeline<Event> pipeline = ring.pipeline().stage("held").handledBy(held).build().start();
    ring.publish(0);
    held.awaitReached();
    ring.publishAll(1, CAPACITY);
    return pipeline;
  }

  private static List<Long> values(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  // ---- WAIT ----

  @ParameterizedTest
  @EnumSource
  void wait_waitsUntilThereIsRoom(Kind kind) throws Exception {
    try (Pipeline<Event> pipeline = heldPipeline(kind.options(CAPACITY), kind)) {
      TestCall<Boolean> producer = TestCall.of(() -> ring.publish(CAPACITY));
      producer.awaitResting();
      assertThat(ring.tryPublish(99)).isFalse();
      held.letGo();
      assertThat(producer.result()).isTrue();
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(held.values()).isEqualTo(values(0, CAPACITY + 1));
      Counters counters = Snapshot.of(pipeline).producers();
      assertThat(counters.claimed()).isEqualTo(CAPACITY + 1);
      assertThat(counters.dropped() + counters.signalled()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void wait_whenInterrupted_throws_andGoesOn(Kind kind) throws Exception {
    try (Pipeline<Event> pipeline = heldPipeline(kind.options(CAPACITY), kind)) {
      TestCall<Boolean> producer = TestCall.of(() -> ring.publish(99));
      producer.awaitResting().thread().interrupt();
      assertThat(producer.failure()).isInstanceOf(InterruptedException.class);
      held.letGo();
      assertThat(ring.publish(CAPACITY)).isTrue();
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(held.values()).isEqualTo(values(0, CAPACITY + 1));
    }
  }

  // ---- DROP_NEWEST, SIGNAL ----

  @ParameterizedTest
  @EnumSource
  void dropNewest_losesWhatComesNow_andCounts(Kind kind) throws Exception {
    RingOptions options = kind.options(CAPACITY).withOnFull(OnFull.DROP_NEWEST);
    try (Pipeline<Event> pipeline = heldPipeline(options, kind)) {
      for (int i = 0; i < 5; i++) {
        assertThat(ring.publish(99)).isFalse();
      }
      assertThat(ring.tryPublish(99)).isFalse(); // only tells so: not dropped
      assertThat(Counters.of(ring.sequencer()).dropped()).isEqualTo(5);
      assertThat(ring.sequencer().claim(3)).isEqualTo(Sequencer.FULL);
      assertThat(Snapshot.of(pipeline).producers().dropped()).isEqualTo(8);
      held.letGo();
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(held.values()).isEqualTo(values(0, CAPACITY));
    }
  }

  @ParameterizedTest
  @EnumSource
  void signal_refuses_andIsCongestedUntilHalfIsFree(Kind kind) throws Exception {
    RingOptions options = kind.options(CAPACITY).withOnFull(OnFull.SIGNAL);
    ring = kind.of(options);
    CountingHandler counting = new CountingHandler(CAPACITY);
    Semaphore permits = new Semaphore(0);
    try (Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("metered")
            .handledBy(
                batch -> {
                  permits.acquire();
                  counting.onBatch(batch);
                })
            .maxBatch(1)
            .build()
            .start()) {
      Sequencer sequencer = ring.sequencer();
      ring.publishAll(0, CAPACITY);
      assertThat(ring.tryPublish(99)).isFalse();
      assertThat(sequencer.isCongested()).isFalse(); // nobody was refused by back-pressure
      assertThat(ring.publish(99)).isFalse();
      assertThat(sequencer.isCongested()).isTrue();
      assertThat(Counters.of(sequencer).signalled()).isOne();

      permits.release(CAPACITY / 2 - 1);
      TestCall.await(() -> sequencer.remainingCapacity() == CAPACITY / 2 - 1);
      assertThat(sequencer.isCongested()).isTrue();
      permits.release();
      TestCall.await(() -> sequencer.remainingCapacity() == CAPACITY / 2);
      assertThat(sequencer.isCongested()).isFalse();
      while (ring.tryPublish(0)) {
        // full again, but nobody was refused since
      }
      assertThat(sequencer.isCongested()).isFalse();
      permits.release(CAPACITY);
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
    }
  }

  // ---- DROP_OLDEST ----

  private static RingOptions skipping(Kind kind, int capacity) {
    return kind.options(capacity)
        .withOnFull(OnFull.DROP_OLDEST)
        .withProducerWaits(WaitStrategy.parking());
  }

  @ParameterizedTest
  @CsvSource({
    "RECORDS_OF_MANY, 4",
    "OBJECTS_OF_MANY, 4",
    "RECORDS_OF_MANY, 1",
    "OBJECTS_OF_MANY, 3",
    "RECORDS_OF_MANY, 64",
    "OBJECTS_OF_MANY, 1000000" // batches of the whole ring, if it let them
  })
  void skipOldest_afterAHold_passesOverTheOldestOnly(Kind kind, int maxBatch) throws Exception {
    int capacity = 64;
    ring = kind.of(skipping(kind, capacity));
    CountingHandler behind = new CountingHandler(capacity);
    try (Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("first")
            .handledBy(held)
            .maxBatch(maxBatch)
            .stage("behind")
            .after("first")
            .handledBy(behind)
            .build()
            .start()) {
      ring.publish(0);
      held.awaitReached();
      ring.publishAll(1, capacity);
      assertThat(ring.tryPublish(99)).isFalse();
      held.letGo();
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();

      List<Long> seen = held.values();
      StageSnapshot first = Snapshot.of(pipeline).stages().getFirst();
      assertThat(first.skipped()).isPositive();
      assertThat(first.processed() + first.skipped()).isEqualTo(capacity);
      assertThat(first.processed()).isEqualTo(seen.size());
      // the one in hand, then the newest: half of the ring, or less by a batch
      assertThat(seen.getFirst()).isZero();
      long oldest = capacity - seen.size() + 1L;
      assertThat(seen.subList(1, seen.size())).isEqualTo(values(oldest, capacity));
      assertThat(oldest - 1).isBetween(capacity / 2L - 1, capacity * 3L / 4);
      assertThat(behind.handled()).isEqualTo(seen.size());
      for (long value : seen) {
        assertThat(behind.times()[(int) value]).isOne();
      }
      assertThat(Snapshot.of(pipeline).stages().getLast().skipped()).isZero();
      assertThat(pipeline.toString()).contains(", skipped " + first.skipped());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"RECORDS_OF_MANY", "OBJECTS_OF_MANY"})
  void skipOldest_underLoad_accountsForEveryEvent(Kind kind) throws Exception {
    int events = 30_000;
    ring = kind.of(skipping(kind, 64));
    CountingHandler first = new CountingHandler(events);
    CountingHandler behind = new CountingHandler(events);
    try (Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("slow")
            .handledBy(
                batch -> {
                  first.onBatch(batch);
                  Thread.yield();
                })
            .stage("behind")
            .after("slow")
            .handledBy(behind)
            .build()
            .start()) {
      List<TestCall<Boolean>> producers =
          List.of(
              TestCall.run(() -> ring.publishAll(0, events / 2)),
              TestCall.run(() -> ring.publishAll(events / 2, events)));
      assertThat(TestCall.results(producers)).containsOnly(true);
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      StageSnapshot slow = Snapshot.of(pipeline).stages().getFirst();
      assertThat(slow.processed() + slow.skipped()).isEqualTo(events);
      assertThat(slow.processed()).isEqualTo(first.handled());
      assertThat(Snapshot.of(pipeline).published()).isEqualTo(events);
      assertThat(behind.times()).isEqualTo(first.times());
      assertThat(first.times()).containsOnly(0, 1);
    }
  }

  @Test
  void skipOldest_whenItKeepsUp_skipsNone() throws Exception {
    ring = Kind.RECORDS_OF_MANY.of(skipping(Kind.RECORDS_OF_MANY, 64));
    held.letGo();
    try (Pipeline<Event> pipeline = ring.pipeline().stage("first").handledBy(held).build()) {
      ring.publishAll(0, 48); // three quarters
      pipeline.start();
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(held.values()).isEqualTo(values(0, 48));
      assertThat(Snapshot.of(pipeline).stages().getFirst().skipped()).isZero();
    }
  }
}
