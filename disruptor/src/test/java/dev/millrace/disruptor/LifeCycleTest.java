package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds an order of start, drain and close, from any thread, that hangs, says that all is handled
 * when it is not, or leaves a thread at work.
 */
class LifeCycleTest extends PipelineFixture {
  private TestCall<Boolean> draining() {
    return TestCall.of(() -> pipeline.drain(TestCall.LONG)).awaitResting();
  }

  private TestCall<Boolean> closing() {
    return TestCall.run(pipeline::close).awaitResting();
  }

  // ---- drain ----

  @Test
  void drain_whenTheTimePasses_mayBeRepeated() throws Exception {
    start(held);
    ring.publishAll(0, 3);
    held.awaitReached();
    assertThat(pipeline.drain(Duration.ofMillis(1))).isFalse();
    assertThat(pipeline.drain(Duration.ZERO)).isFalse();
    Throws.illegalState("ring takes no more events: ...", () -> ring.publish(9));
    held.letGo();
    drain();
    assertThat(pipeline.drain(Duration.ZERO)).isTrue();
    assertThat(held.values()).containsExactly(0L, 1L, 2L);
    assertThat(pipeline.failure()).isNull();
  }

  @Test
  void drain_whileAClaimIsOpen_waitsForItsPublication() throws Exception {
    assumeThat(kind.hasManyProducers()).isTrue();
    start(held);
    held.letGo();
    ring.publish(0);
    long sequence = ring.sequencer().claim();
    assertThat(pipeline.drain(Duration.ofMillis(5))).isFalse();
    ring.sequencer().commit(sequence);
    drain();
    assertThat(held.values()).hasSize(2);
  }

  @Test
  void drain_whenSomebodyCloses_doesNotSayThatAllIsHandled() throws Exception {
    start(on(16).stage("a").handledBy(held).maxBatch(1));
    ring.publishAll(0, 3);
    held.awaitReached();
    TestCall<Boolean> drain = draining();
    TestCall<Boolean> closer = closing();
    held.letGo();
    assertThat(drain.failure())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("pipeline must stay open until drained: pipeline");
    closer.result();
    assertThat(held.values()).containsExactly(0L);
  }

  @Test
  void drain_whenInterrupted_throws_andMayBeRepeated() throws Exception {
    start(held);
    ring.publish(0);
    TestCall<Boolean> drain = draining();
    drain.thread().interrupt();
    assertThat(drain.failure()).isInstanceOf(InterruptedException.class);
    held.letGo();
    drain();
  }

  // ---- the order of calls ----

  @Test
  void calls_outOfOrder_areRefused() {
    String started = "pipeline must be started only once, before it is closed: state=";
    String drained = "pipeline must be started and open: state=";
    pipeline = on(16).stage("a").handledBy(NOTHING).build();
    Throws.illegalState(drained + "BUILT", () -> pipeline.drain(TestCall.LONG));
    assertThat(pipeline.start()).isSameAs(pipeline);
    Throws.illegalState(started + "STARTED", pipeline::start);
    for (int i = 0; i < 2; i++) { // closed after its start, and before
      pipeline.close();
      pipeline.close();
      ring.ring().close();
      Throws.illegalState(started + "CLOSED", pipeline::start);
      Throws.illegalState(drained + "CLOSED", () -> pipeline.drain(TestCall.LONG));
      assertThat(pipeline.failure()).isNull();
      assertThat(ring.sequencer().isCompleted()).isTrue();
      pipeline = on(16).stage("a").handledBy(NOTHING).build();
    }
  }

  @Test
  void ring_afterClose_saysThatItIsClosed() throws Exception {
    start(NOTHING);
    ring.publish(0);
    pipeline.close();
    Throws.illegalState(
        "ring takes no more events: " + ring.ring(),
        () -> ring.publish(1),
        () -> ring.tryPublish(1));
    assertThat(ring.sequencer().tryClaim()).isEqualTo(Sequencer.CLOSED);
  }

  // ---- by a handler ----

  @Test
  void closeAndDrainAndWarmUp_byAHandler_areRefused() throws Exception {
    assertRefusedInAHandler("closed", () -> pipeline.close());
    assertRefusedInAHandler("drained", () -> pipeline.drain(TestCall.LONG));
    assertRefusedInAHandler("warmed up", () -> pipeline.warmUp(1, event -> {}));
  }

  private void assertRefusedInAHandler(String what, TestCall.Body waiting) throws Exception {
    start(batch -> waiting.run());
    ring.publish(0);
    assertThat(awaitFailure())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(
            "a handler cannot wait for its own pipeline to be " + what + ": Thread[");
    assertThat(ring.sequencer().failure()).isSameAs(pipeline.failure());
    pipeline.close();
  }

  @Test
  void closeAndDrain_byAHandler_whileAnotherThreadCloses_lockNobody() throws Exception {
    CountDownLatch refused = new CountDownLatch(1);
    start(
        batch -> {
          held.onBatch(batch);
          Throws.illegalState(
              "...", pipeline::close, () -> pipeline.drain(TestCall.LONG), pipeline::start);
          refused.countDown();
        });
    ring.publish(0);
    held.awaitReached();
    TestCall<Boolean> closer = closing();
    held.letGo();
    closer.result();
    assertThat(refused.getCount()).isZero();
    assertThat(pipeline.failure()).isNull();
  }

  // ---- close gets everybody out ----

  static List<WaitStrategy> strategies() {
    return Waits.strategiesAndSleeper();
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void close_whileProducersAndStagesWait_getsAllOut(WaitStrategy strategy) throws Exception {
    PipelineBuilder<Event> stages = on(kind.options(2).withProducerWaits(strategy));
    stages.stage("held").handledBy(held);
    start(stages.stage("idle").after("held").sharedBy(2, () -> NOTHING).waiting(strategy));
    List<TestCall<Boolean>> producers =
        TestCall.run(kind.producers(2), () -> ring.publishAll(0, 3));
    held.awaitReached();
    for (TestCall<Boolean> producer : producers) {
      TestCall.await(() -> isWaiting(producer.thread()) || TestCall.isResting(producer.thread()));
    }
    TestCall<Boolean> closer = TestCall.run(pipeline::close);
    for (TestCall<Boolean> producer : producers) { // before the handler lets go
      assertThat(producer.failure())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("ring takes no more events: ")
          .hasNoCause();
    }
    assertThat(closer.isOver()).isFalse();
    held.letGo();
    closer.result();
    assertThat(pipeline.failure()).isNull();
  }

  /** Whether a thread is in a wait, even if it spins there. */
  private static boolean isWaiting(Thread thread) {
    return Stream.of(thread.getStackTrace())
        .anyMatch(
            frame ->
                frame.getClassName().endsWith(".Waiters")
                    || frame.getMethodName().equals("awaitClaim"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void closeAndDrain_whileStagesRest_wakeThem(boolean drains) throws Exception {
    for (WaitStrategy strategy :
        List.of(WaitStrategy.parking(), WaitStrategy.sleeping(Duration.ofSeconds(1_000)))) {
      threads.clear();
      PipelineBuilder<Event> stages = on(16).onThread(this::noteThread);
      stages.stage("a").handledBy(NOTHING).waiting(strategy);
      start(stages.stage("b").after("a").sharedBy(2, () -> NOTHING).waiting(strategy));
      TestCall.await(() -> threads.stream().allMatch(TestCall::isResting));
      if (drains) {
        drain();
      }
      TestCall.run(pipeline::close).result();
    }
  }

  @Test
  void close_losesWhatIsBehindTheBatchInHand() throws Exception {
    pipeline = on(16).stage("a").handledBy(held).maxBatch(4).build();
    ring.publishAll(0, 10);
    pipeline.start();
    held.awaitReached();
    TestCall<Boolean> closer = closing();
    held.letGo();
    closer.result();
    assertThat(held.values()).containsExactly(0L, 1L, 2L, 3L);
  }

  @Test
  void close_whenTheCloserIsInterrupted_interruptsTheHandlers() throws Exception {
    CountDownLatch asleep = new CountDownLatch(1);
    start(
        batch -> {
          asleep.countDown();
          Thread.sleep(Duration.ofHours(1));
        });
    ring.publish(0);
    asleep.await();
    TestCall<Boolean> closer =
        TestCall.of(
            () -> {
              pipeline.close();
              return Thread.interrupted();
            });
    closer.awaitResting().thread().interrupt();
    assertThat(closer.result()).as("is interrupted still").isTrue();
    assertThat(pipeline.failure()).as("the close's own doing").isNull();
  }

  @Test
  void close_byTwoThreads_endsForBothWhenItHasEnded() throws Exception {
    start(held);
    ring.publish(0);
    held.awaitReached();
    List<TestCall<Boolean>> closers = List.of(closing(), closing());
    held.letGo();
    TestCall.results(closers);
  }
}
