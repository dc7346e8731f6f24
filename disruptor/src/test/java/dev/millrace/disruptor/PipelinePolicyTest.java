package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.disruptor.Snapshot.StageSnapshot;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.testkit.TestCall;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Finds an event that is tried once too often or too seldom, takes others of its batch with it when
 * it is skipped, or reaches the next stage before its last try.
 */
class PipelinePolicyTest extends PipelineFixture {
  private final IOException failure = new IOException("bad record");

  private final List<Long> handled = Collections.synchronizedList(new ArrayList<>());
  private final List<String> calls = Collections.synchronizedList(new ArrayList<>());

  /** Runs one stage on events that it finds together when it starts. */
  private StageSnapshot run(int events, Consumer<PipelineBuilder<Event>> settings)
      throws Exception {
    PipelineBuilder<Event> builder = on(64).onFailure(this::tell).stage("a").maxBatch(64);
    settings.accept(builder);
    run(events, builder);
    assertThat(pipeline.failure()).isNull();
    return snapshot().stages().getFirst();
  }

  /** Runs one handler, whose failures are passed over. */
  private StageSnapshot skip(int events, BatchHandler<Event> handler) throws Exception {
    return run(events, stage -> stage.handledBy(handler).skipFailures());
  }

  private static long keyExceptOf3And4(Event event) {
    if (event.value() == 3 || event.value() == 4) {
      throw new IllegalStateException("no key");
    }
    return event.value();
  }

  @Test
  void skip_whenAKeyFunctionThrows_isToldOnceAndHandlesAllOthers() throws Exception {
    StageSnapshot stage =
        run(
            12,
            a ->
                a.sharedByKey(3, PipelinePolicyTest::keyExceptOf3And4, () -> failingAt(Set.of()))
                    .retries(2)
                    .skipFailures());

    assertThat(handled).containsExactlyInAnyOrderElementsOf(values(12, 3L, 4L));
    assertThat(told).containsExactlyInAnyOrder("a 3 no key", "a 4 no key");
    assertThat(stage.failed()).isEqualTo(2);
    assertThat(stage.processed()).isEqualTo(12);
  }

  /** Notes its calls by the values it is given in each, and fails at some of them. */
  private BatchHandler<Event> failingAt(Set<Long> values) {
    return batch -> {
      StringBuilder given = new StringBuilder();
      try {
        while (batch.next()) {
          long value = batch.event().value();
          given.append(given.isEmpty() ? "" : " ").append(value);
          if (values.contains(value)) {
            throw failure;
          }
          handled.add(value);
        }
      } finally {
        calls.add(given.toString());
      }
    };
  }

  private static List<Long> values(long count, Long... without) {
    return LongStream.range(0, count).boxed().filter(n -> !List.of(without).contains(n)).toList();
  }

  // ---- skip ----

  @Test
  void skip_passesOverTheFailing_andGivesTheRestInANewCall() throws Exception {
    StageSnapshot end = skip(8, failingAt(Set.of(0L, 3L, 4L, 7L)));
    assertThat(calls).containsExactly("0", "1 2 3", "4", "5 6 7");
    assertThat(handled).containsExactly(1L, 2L, 5L, 6L);
    assertThat(told)
        .containsExactly("a 0 bad record", "a 3 bad record", "a 4 bad record", "a 7 bad record");
    assertThat(end).isEqualTo(new StageSnapshot("a", 8, 4, 0, 0, 0, 0.0, 8));
  }

  @Test
  void skip_ofEventByEvent_passesOverTheFailing() throws Exception {
    StageSnapshot end =
        skip(
            8,
            Pipeline.each(
                (event, sequence, isLast) -> {
                  if (sequence == 5) {
                    throw failure;
                  }
                  handled.add(event.value());
                }));
    assertThat(handled).isEqualTo(values(8, 5L));
    assertThat(end.failed()).isOne();
  }

  @Test
  void skip_beforeTheFirstNext_passesOverTheFirst() throws Exception {
    StageSnapshot end =
        skip(
            5,
            batch -> {
              if (batch.remaining() > 2) {
                throw failure;
              }
              while (batch.next()) {
                handled.add(batch.event().value());
              }
            });
    assertThat(handled).containsExactly(3L, 4L);
    assertThat(told).containsExactly("a 0 bad record", "a 1 bad record", "a 2 bad record");
    assertThat(end.failed()).isEqualTo(3);
  }

  @Test
  void skip_behindTheLastNext_passesOverTheLast() throws Exception {
    StageSnapshot end =
        skip(
            3,
            batch -> {
              while (batch.next()) {
                handled.add(batch.event().value());
              }
              throw failure; // the end of the batch fails
            });
    assertThat(handled).containsExactly(0L, 1L, 2L);
    assertThat(told).containsExactly("a 2 bad record");
    assertThat(end.failed()).isOne();
  }

  @Test
  void skip_ofSharedWork_countsAllWorkers() throws Exception {
    Set<Long> bad = Set.of(1L, 11L, 12L, 39L);
    List<Consumer<PipelineBuilder<Event>>> ways =
        List.of(
            stage -> stage.sharedBy(3, () -> failingAt(bad)).skipFailures(),
            stage -> stage.sharedByKey(3, Event::value, () -> failingAt(bad)).skipFailures());
    for (Consumer<PipelineBuilder<Event>> way : ways) {
      handled.clear();
      assertThat(run(40, way).failed()).isEqualTo(4);
      assertThat(handled).containsExactlyInAnyOrderElementsOf(values(40, 1L, 11L, 12L, 39L));
      close();
    }
  }

  // ---- retries ----

  @Test
  void retries_giveTheSameEventAgain_thenSkip() throws Exception {
    StageSnapshot end =
        run(5, stage -> stage.handledBy(failingAt(Set.of(2L, 4L))).retries(3).skipFailures());
    assertThat(calls).containsExactly("0 1 2", "2", "2", "2", "3 4", "4", "4", "4");
    assertThat(handled).containsExactly(0L, 1L, 3L);
    assertThat(told).hasSize(8);
    assertThat(end).isEqualTo(new StageSnapshot("a", 5, 2, 6, 0, 0, 0.0, 5));
  }

  @Test
  void retries_whenOneSucceeds_goOnWithTheRest() throws Exception {
    int[] tries = new int[1];
    StageSnapshot end =
        run(
            5,
            stage ->
                stage
                    .handledBy(
                        batch -> {
                          while (batch.next()) {
                            long value = batch.event().value();
                            calls.add(value + " of " + (batch.remaining() + 1));
                            if (value == 2 && ++tries[0] < 3) {
                              throw failure;
                            }
                          }
                        })
                    .retries(2));
    assertThat(calls)
        .containsExactly("0 of 5", "1 of 4", "2 of 3", "2 of 3", "2 of 3", "3 of 2", "4 of 1");
    assertThat(end).isEqualTo(new StageSnapshot("a", 5, 0, 2, 0, 0, 0.0, 5));
  }

  @Test
  void retries_whenAllFail_stop() throws Exception {
    pipeline =
        on(16).onFailure(this::tell).stage("a").handledBy(failingAt(Set.of(1L))).retries(2).build();
    ring.publishAll(0, 3);
    // start() may see it already
    assertThatThrownBy(() -> pipeline.start().drain(TestCall.LONG)).hasCause(failure);
    pipeline.close();
    assertThat(calls).containsExactly("0 1", "1", "1");
    assertThat(told).containsExactly("a 1 bad record", "a 1 bad record", "a 1 bad record");
    assertThat(snapshot().stages().getFirst().retries()).isEqualTo(2);
  }

  /** How a stage's workers divide the events, and how many workers get each. */
  enum Way {
    ALONE,
    EACH_SEES_ALL,
    SHARED,
    BY_KEY;

    PipelineBuilder<Event> among(
        PipelineBuilder<Event> stage, Supplier<BatchHandler<Event>> handlers) {
      return switch (this) {
        case ALONE -> stage.handledBy(handlers.get());
        case EACH_SEES_ALL -> stage.handledBy(handlers.get(), handlers.get());
        case SHARED -> stage.sharedBy(3, handlers);
        case BY_KEY -> stage.sharedByKey(3, Event::value, handlers);
      };
    }

    int workersOfAnEvent() {
      return this == EACH_SEES_ALL ? 2 : 1;
    }
  }

  /** Fails at each event as often as it says, and writes into it how often it was tried. */
  private static final class Stubborn implements BatchHandler<Event> {
    private final int[] failures;
    private final AtomicIntegerArray calls;
    private final AtomicLong behind; // how far the next stage is
    private int tries;
    private long last = -1;

    Stubborn(int[] failures, AtomicIntegerArray calls, AtomicLong behind) {
      this.failures = failures;
      this.calls = calls;
      this.behind = behind;
    }

    @Override
    public void onBatch(Batch<Event> batch) throws Exception {
      while (batch.next()) {
        int value = (int) batch.event().value();
        assertThat(batch.sequence()).isEqualTo(value).isGreaterThanOrEqualTo(last);
        assertThat(behind.get()).as("events that were not released").isLessThanOrEqualTo(value);
        tries = value == last ? tries + 1 : 1;
        last = value;
        calls.incrementAndGet(value);
        if (tries <= failures[value]) {
          throw new IOException("try " + tries + " of " + value);
        }
        batch.event().note(tries);
      }
    }
  }

  /**
   * Events that fail never, now and then, as often as is allowed, or once more than that, in
   * batches of every size: each is tried as often as it must be, and no other with it. The stage
   * behind gets each once, and not before it is done with.
   */
  @ParameterizedTest
  @EnumSource(Way.class)
  void retries_ofDrawnFailures_areAsManyAsAreAllowed(Way way) throws Exception {
    int events = 60;
    for (int retries : new int[] {0, 1, 3}) {
      for (int maxBatch : new int[] {1, 7}) {
        Random random = new Random(retries * 100 + maxBatch);
        int[] failures =
            IntStream.generate(() -> random.nextInt(3) > 0 ? 0 : random.nextInt(retries + 2))
                .limit(events)
                .toArray();
        AtomicIntegerArray tried = new AtomicIntegerArray(events);
        AtomicLong behind = new AtomicLong();
        List<Long> notes = new ArrayList<>();
        PipelineBuilder<Event> builder = on(64).stage("a").maxBatch(maxBatch).retries(retries);
        way.among(builder.skipFailures(), () -> new Stubborn(failures, tried, behind));
        builder
            .stage("b")
            .after("a")
            .handledBy(
                Pipeline.each(
                    (event, sequence, _) -> {
                      behind.set(sequence + 1);
                      notes.add(event.note());
                    }));
        run(events, builder);
        int workers = way.workersOfAnEvent();
        for (int i = 0; i < events; i++) {
          boolean isSkipped = failures[i] > retries;
          assertThat(tried.get(i))
              .as("tries of %s, which fails %s times", i, failures[i])
              .isEqualTo(workers * (isSkipped ? failures[i] : failures[i] + 1));
          assertThat(notes.get(i)).isEqualTo(isSkipped ? 0 : failures[i] + 1);
        }
        StageSnapshot end = snapshot().stages().getFirst();
        assertThat(notes).hasSize(events);
        assertThat(end.processed()).isEqualTo(events);
        assertThat(end.failed())
            .isEqualTo(workers * IntStream.of(failures).filter(n -> n > retries).count());
        assertThat(end.retries())
            .isEqualTo(
                (long) workers * IntStream.of(failures).map(n -> Math.min(n, retries)).sum());
        close();
      }
    }
  }

  /** While an event is tried again, its slot is not free and the stage behind does not get it. */
  @Test
  void retries_releaseNothingBeforeTheLast() throws Exception {
    int capacity = 4;
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    PipelineBuilder<Event> builder = on(capacity).stage("a").maxBatch(capacity).retries(3);
    builder.handledBy(
        batch -> {
          while (batch.next()) {
            seen.add("a" + batch.event().value());
            assertThat(ring.sequencer().remainingCapacity()).isZero();
            if (batch.event().value() == 1 && Collections.frequency(seen, "a1") < 4) {
              throw failure;
            }
          }
        });
    builder
        .stage("b")
        .after("a")
        .handledBy(Pipeline.each((event, _, _) -> seen.add("b" + event.value())));
    run(capacity, builder);
    assertThat(seen).startsWith("a0", "a1", "a1", "a1", "a1", "a2", "a3").contains("b0", "b3");
  }
}
