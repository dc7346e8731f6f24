package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.disruptor.Snapshot.StageSnapshot;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/**
 * Finds a lag, a count or a mean batch that a snapshot gets wrong, a graph that is drawn wrong, and
 * a warm-up whose events still count.
 */
class PipelineLooksTest extends PipelineFixture {
  private StageSnapshot stage(String name) {
    return snapshot().stages().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  // ---- snapshot ----

  @Test
  void snapshot_whileAStageIsHeld_tellsWhereEventsAre() throws Exception {
    PipelineBuilder<Event> stages = on(64);
    stages.stage("first").handledBy(NOTHING);
    stages.stage("held").after("first").handledBy(held).maxBatch(4);
    start(stages.stage("last").after("held").handledBy(NOTHING));
    ring.publish(0);
    held.awaitReached();
    ring.publishAll(1, 40);
    TestCall.await(() -> stage("first").lag() == 0);

    Snapshot snapshot = snapshot();
    assertThat(snapshot.published()).isEqualTo(40);
    assertThat(snapshot.freeSlots()).isEqualTo(24);
    assertThat(snapshot.producers().claimed()).isEqualTo(40);
    StageSnapshot first = snapshot.stages().getFirst();
    assertThat(first.meanBatch()).isBetween(1.0, 20.0); // the first one was alone
    assertThat(snapshot.stages())
        .containsExactly(
            new StageSnapshot("first", 40, 0, 0, 0, 0, 0.0, first.meanBatch()),
            new StageSnapshot("held", 0, 0, 0, 0, 40, 1.0, 0),
            new StageSnapshot("last", 0, 0, 0, 0, 0, 0.0, 0));

    held.letGo();
    drain();
    assertThat(snapshot().freeSlots()).isEqualTo(64);
    assertThat(snapshot().stages()).allMatch(one -> one.processed() == 40 && one.lag() == 0);
    // 1, then 39 by fours, of which the last has 3
    assertThat(stage("held").meanBatch()).isEqualTo(Math.round(40_000 / 11.0) / 1_000.0);
  }

  @Test
  void snapshot_ofSeveralWorkers_addsOrTakesTheSlowest() throws Exception {
    HeldHandler sharer = new HeldHandler();
    Queue<BatchHandler<Event>> sharers = new ConcurrentLinkedQueue<>(List.of(sharer, NOTHING));
    PipelineBuilder<Event> stages = on(64).stage("all").handledBy(NOTHING, held);
    start(stages.stage("shared").sharedByKey(2, Event::value, sharers::remove));
    ring.publishAll(0, 20);
    held.awaitReached();
    sharer.awaitReached();
    TestCall.await(() -> stage("shared").processed() > 0);
    assertThat(stage("all").processed()).isZero();
    assertThat(stage("all").lag()).isEqualTo(20);
    assertThat(stage("shared").lag()).isEqualTo(20);
    assertThat(stage("all").utilisation()).isBetween(0.5, 0.6);
    held.letGo();
    sharer.letGo();
    drain();
    assertThat(snapshot().stages()).allMatch(one -> one.processed() == 20);
  }

  @Test
  void snapshot_whenClosed_tellsTheEnd() throws Exception {
    start(on(16).stage("a").handledBy(held).maxBatch(1));
    ring.publishAll(0, 5);
    held.awaitReached();
    TestCall<Boolean> closer = TestCall.run(pipeline::close);
    TestCall.await(() -> ring.sequencer().isCompleted());
    assertThat(snapshot().published()).isEqualTo(5);
    held.letGo();
    closer.result();
    assertThat(snapshot().published()).isEqualTo(5);
    assertThat(snapshot().stages()).containsExactly(new StageSnapshot("a", 1, 0, 0, 0, 4, 0.0, 1));
  }

  // ---- pictures ----

  @Test
  void toString_ofDiamond_drawsItInEachState() throws Exception {
    PipelineBuilder<Event> stages = on(16).named("orders");
    stages.stage("parse").sharedBy(3, () -> NOTHING);
    stages.stage("log").handledBy(NOTHING, NOTHING);
    stages.stage("journal").after("parse").handledBy(held);
    stages.stage("match").after("parse").sharedByKey(2, Event::value, () -> NOTHING);
    pipeline = stages.stage("out").after("journal", "match").handledBy(NOTHING).build();
    String template =
        """
        orders: %s
        ├─ parse x3 shared, lag 0, processed %s
        │  ├─ journal, lag %s, processed %s
        │  └─ match x2 shared by key, lag 0, processed %s
        │     └─ out (after journal, match), lag 0, processed %s
        └─ log x2, lag 0, processed %s\
        """;
    assertThat(pipeline)
        .hasToString(template.formatted("not started, claimed 0, free 16 of 16", 0, 0, 0, 0, 0, 0));

    pipeline.start();
    ring.publishAll(0, 5);
    held.awaitReached();
    TestCall.await(
        () -> snapshot().stages().stream().mapToLong(StageSnapshot::processed).sum() == 15);
    assertThat(pipeline)
        .hasToString(template.formatted("running, claimed 5, free 11 of 16", 5, 5, 0, 5, 0, 5));

    held.letGo();
    drain();
    for (int i = 0; i < 2; i++) {
      assertThat(pipeline)
          .hasToString(template.formatted("ended, claimed 5, free 16 of 16", 5, 0, 5, 5, 5, 5));
      pipeline.close();
    }
  }

  @Test
  void toString_whenStageHasFailed_saysWhy() throws Exception {
    PipelineBuilder<Event> stages = on(16);
    stages.stage("check").handledBy(failing(new IllegalStateException("no such order")));
    start(stages.stage("count").after("check").handledBy(NOTHING));
    ring.publish(0);
    assertThatThrownBy(() -> pipeline.drain(TestCall.LONG)).hasRootCauseMessage("no such order");
    pipeline.close();
    assertThat(pipeline)
        .hasToString(
            """
            pipeline: failed (java.lang.IllegalStateException: no such order), claimed 1, free 15 of 16
            └─ check, lag 1, processed 0
               └─ count, lag 0, processed 0\
            """);
  }

  @Test
  void toString_whenClosedBeforeItStarted_saysSo() {
    pipeline = on(16).stage("a").handledBy(NOTHING).build();
    pipeline.close();
    assertThat(pipeline)
        .hasToString("pipeline: closed, claimed 0, free 16 of 16\n└─ a, lag 0, processed 0");
  }

  // ---- warm-up ----

  @Test
  void warmUp_countsBeginAnew_sequencesGoOn() throws Exception {
    long[] sequences = {-1, -1};
    long[] warm = new long[1];
    BatchHandler<Event> noting =
        Pipeline.each(
            (event, sequence, isLast) -> {
              warm[0] += event.value() < 0 ? 1 : 0;
              sequences[event.value() < 0 ? 0 : 1] = sequence;
            });
    start(on(16).stage("a").sharedBy(2, () -> NOTHING).stage("b").after("a").handledBy(noting));
    pipeline.warmUp(1_000, event -> event.value(-1));
    pipeline.warmUp(500, event -> event.value(-1));
    assertThat(warm[0]).isEqualTo(1_500);
    assertThat(sequences).containsExactly(1_499, -1);
    assertThat(snapshot().published()).isZero();
    assertThat(snapshot().stages())
        .allMatch(one -> one.processed() == 0 && one.meanBatch() == 0 && one.lag() == 0);
    assertThat(pipeline.toString()).startsWith("pipeline: running, claimed 0, free 16 of 16");

    ring.publish(7);
    TestCall.await(() -> stage("b").processed() == 1);
    assertThat(snapshot().published()).isOne();
    assertThat(snapshot().stages()).allMatch(one -> one.processed() == 1 && one.meanBatch() == 1);
    assertThat(sequences[1]).isEqualTo(1_500);
    Throws.illegalState(
        "events were published before the warm-up: claimed=1501",
        () -> pipeline.warmUp(1, event -> {}));
  }

  @Test
  void warmUp_whenWriterThrows_leavesNoClaimOpen() throws Exception {
    start(held);
    held.letGo();
    IllegalStateException failure = new IllegalStateException("of the writer");
    Throws.illegalState(
        "of the writer",
        () -> pipeline.warmUp(1, _ -> PipelineFixture.<RuntimeException>throwAny(failure)));
    ring.publish(5);
    drain();
    assertThat(held.values()).containsExactly(5L);
  }

  @Test
  void warmUp_whenAnEventIsGivenUp_goesOnWithoutIt() throws Exception {
    long[] handled = new long[1];
    RingOptions options = RingOptions.multiProducer(16).withStallLimit(Duration.ofMillis(1));
    start(
        on(options).stage("a").handledBy(Pipeline.each((event, sequence, isLast) -> handled[0]++)));
    boolean[] isFirst = {true};
    pipeline.warmUp(
        10,
        event -> {
          if (isFirst[0]) {
            TestCall.await(() -> pipeline.metrics().get("stalled") == 1);
          }
          isFirst[0] = false;
        });
    // the machine may have stopped the thread in another event, too, for longer than the limit
    long refused = Counters.of(ring.sequencer()).refused();
    assertThat(refused).isPositive();
    assertThat(handled[0]).isEqualTo(10 - refused);
    assertThat(pipeline.metrics()).containsEntry("stalled", 0L).containsEntry("refused", 0L);
    ring.publish(7);
    drain();
    assertThat(handled[0]).isEqualTo(11 - refused);
  }

  @Test
  void warmUp_whenItDoesNotRun_isRefused() {
    pipeline = on(16).stage("a").handledBy(NOTHING).build();
    for (String state : List.of("BUILT", "CLOSED")) {
      Throws.illegalState(
          "pipeline must be started and open: state=" + state,
          () -> pipeline.warmUp(1, event -> {}));
      pipeline.close();
    }
  }

  @Test
  void warmUp_whenAHandlerFails_throwsItsFailure() {
    IllegalArgumentException failure = new IllegalArgumentException("cold");
    start(failing(failure));
    assertThatThrownBy(() -> pipeline.warmUp(1_000, event -> {}))
        .isInstanceOf(IllegalStateException.class)
        .cause()
        .isSameAs(failure);
  }
}
