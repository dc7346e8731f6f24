package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.disruptor.Snapshot.StageSnapshot;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.disruptor.TestRing.Kind;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a pipeline tells of itself, and its warm-up. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PipelineLooksTest {
  private static StageSnapshot stage(Snapshot snapshot, String name) {
    return snapshot.stages().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  // ---- snapshot ----

  @ParameterizedTest
  @EnumSource
  void snapshot_whileAStageIsHeld_tellsWhereEventsAre(Kind kind) throws Exception {
    TestRing ring = kind.of(64);
    HeldHandler held = new HeldHandler();
    try (Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("first")
            .handledBy(batch -> {})
            .stage("held")
            .after("first")
            .handledBy(held)
            .maxBatch(4)
            .stage("last")
            .after("held")
            .handledBy(batch -> {})
            .build()
            .start()) {
      ring.publish(0);
      held.awaitReached();
      ring.publishAll(1, 40);
      TestCall.await(() -> stage(Snapshot.of(pipeline), "first").lag() == 0);

      Snapshot snapshot = Snapshot.of(pipeline);
      assertThat(snapshot.published()).isEqualTo(40);
      assertThat(snapshot.freeSlots()).isEqualTo(24);
      assertThat(snapshot.producers().claimed()).isEqualTo(40);
      assertThat(snapshot.stages())
          .extracting(StageSnapshot::name)
          .containsExactly("first", "held", "last");
      StageSnapshot first = stage(snapshot, "first");
      assertThat(first.processed()).isEqualTo(40);
      assertThat(first.utilisation()).isZero();
      assertThat(first.meanBatch()).isBetween(1.0, 20.0); // the first one was alone
      StageSnapshot heldNow = stage(snapshot, "held");
      assertThat(heldNow).isEqualTo(new StageSnapshot("held", 0, 0, 0, 0, 40, 1.0, 0));
      assertThat(stage(snapshot, "last"))
          .isEqualTo(new StageSnapshot("last", 0, 0, 0, 0, 0, 0.0, 0));

      held.letGo();
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      Snapshot end = Snapshot.of(pipeline);
      assertThat(end.freeSlots()).isEqualTo(64);
      assertThat(end.stages()).allMatch(one -> one.processed() == 40 && one.lag() == 0);
      // 1, then 39 by fours, of which the last has 3
      assertThat(stage(end, "held").meanBatch()).isEqualTo(Math.round(40_000 / 11.0) / 1_000.0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void snapshot_ofSeveralWorkers_addsOrTakesTheSlowest(Kind kind) throws Exception {
    TestRing ring = kind.of(64);
    HeldHandler slow = new HeldHandler();
    HeldHandler sharer = new HeldHandler();
    List<BatchHandler<Event>> sharers = List.of(sharer, batch -> {});
    Queue<BatchHandler<Event>> next = new ConcurrentLinkedQueue<>(sharers);
    try (Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("all")
            .handledBy(batch -> {}, slow)
            .stage("shared")
            .sharedByKey(2, Event::value, next::remove)
            .build()
            .start()) {
      ring.publishAll(0, 20);
      slow.awaitReached();
      sharer.awaitReached();
      TestCall.await(() -> stage(Snapshot.of(pipeline), "shared").processed() > 0);
      Snapshot snapshot = Snapshot.of(pipeline);
      assertThat(stage(snapshot, "all").processed()).isZero();
      assertThat(stage(snapshot, "all").lag()).isEqualTo(20);
      assertThat(stage(snapshot, "shared").lag()).isEqualTo(20);
      assertThat(stage(snapshot, "all").utilisation()).isBetween(0.5, 0.6);
      slow.letGo();
      sharer.letGo();
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(Snapshot.of(pipeline).stages()).allMatch(one -> one.processed() == 20);
    }
  }

  @ParameterizedTest
  @EnumSource
  void snapshot_whenClosed_tellsTheEnd(Kind kind) throws Exception {
    TestRing ring = kind.of(16);
    HeldHandler held = new HeldHandler();
    Pipeline<Event> pipeline =
        ring.pipeline().stage("a").handledBy(held).maxBatch(1).build().start();
    ring.publishAll(0, 5);
    held.awaitReached();
    TestCall<Boolean> closer = TestCall.run(pipeline::close);
    TestCall.await(() -> ring.sequencer().isCompleted());
    assertThat(Snapshot.of(pipeline).published()).isEqualTo(5);
    held.letGo();
    closer.result();
    Snapshot snapshot = Snapshot.of(pipeline);
    assertThat(snapshot.published()).isEqualTo(5);
    assertThat(snapshot.stages()).containsExactly(new StageSnapshot("a", 1, 0, 0, 0, 4, 0.0, 1));
  }

  // ---- warm-up ----

  @ParameterizedTest
  @EnumSource
  void warmUp_countsBeginAnew_sequencesGoOn(Kind kind) throws Exception {
    TestRing ring = kind.of(16);
    long[] sequences = {-1, -1};
    long[] warm = new long[1];
    try (Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("a")
            .sharedBy(2, () -> batch -> {})
            .stage("b")
            .after("a")
            .handledBy(
                Pipeline.each(
                    (event, sequence, isLast) -> {
                      warm[0] += event.value() < 0 ? 1 : 0;
                      sequences[event.value() < 0 ? 0 : 1] = sequence;
                    }))
            .build()
            .start()) {
      pipeline.warmUp(1_000, event -> event.value(-1));
      pipeline.warmUp(500, event -> event.value(-1));
      assertThat(warm[0]).isEqualTo(1_500);
      assertThat(sequences).containsExactly(1_499, -1);
      Snapshot before = Snapshot.of(pipeline);
      assertThat(before.published()).isZero();
      assertThat(before.stages())
          .allMatch(one -> one.processed() == 0 && one.meanBatch() == 0 && one.lag() == 0);
      assertThat(pipeline.toString()).startsWith("pipeline: running, claimed 0, free 16 of 16");

      ring.publish(7);
      TestCall.await(() -> Snapshot.of(pipeline).stages().getLast().processed() == 1);
      Snapshot after = Snapshot.of(pipeline);
      assertThat(after.published()).isOne();
      assertThat(after.stages()).allMatch(one -> one.processed() == 1 && one.meanBatch() == 1);
      assertThat(sequences[1]).isEqualTo(1_500);
      assertThatThrownBy(() -> pipeline.warmUp(1, event -> {}))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("events must not be published before the warm-up: claimed=1501");
    }
  }

  @ParameterizedTest
  @EnumSource
  void warmUp_whenWriterThrows_leavesNoClaimOpen(Kind kind) throws Exception {
    TestRing ring = kind.of(16);
    HeldHandler handler = new HeldHandler();
    handler.letGo();
    try (Pipeline<Event> pipeline = ring.pipeline().stage("a").handledBy(handler).build().start()) {
      IllegalStateException thrown = new IllegalStateException("writer");
      assertThatThrownBy(
              () ->
                  pipeline.warmUp(
                      1,
                      event -> {
                        throw thrown;
                      }))
          .isSameAs(thrown);
      ring.publish(5);
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(handler.values()).containsExactly(5L);
    }
  }

  @Test
  void warmUp_whenItDoesNotRun_isRefused() {
    Pipeline<Event> pipeline =
        Kind.OBJECTS_OF_ONE.of(16).pipeline().stage("a").handledBy(batch -> {}).build();
    assertThatThrownBy(() -> pipeline.warmUp(1, event -> {}))
        .hasMessage("pipeline must be started and open: state=BUILT");
    pipeline.close();
    assertThatThrownBy(() -> pipeline.warmUp(1, event -> {}))
        .hasMessage("pipeline must be started and open: state=CLOSED");
  }

  @Test
  void warmUp_whenAHandlerFails_throwsItsFailure() {
    IllegalArgumentException failure = new IllegalArgumentException("cold");
    try (Pipeline<Event> pipeline =
        Kind.OBJECTS_OF_ONE
            .of(16)
            .pipeline()
            .stage("a")
            .handledBy(
                batch -> {
                  throw failure;
                })
            .build()
            .start()) {
      assertThatThrownBy(() -> pipeline.warmUp(1_000, event -> {}))
          .isInstanceOf(IllegalStateException.class)
          .cause()
          .isSameAs(failure);
    }
  }
}
