package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.disruptor.TestRing.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Start, drain and close, in every order and from every thread. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LifeCycleTest {
  private static PipelineBuilder<Event> held(TestRing ring, HeldHandler held) {
    return ring.pipeline().stage("held").handledBy(held);
  }

  private static Pipeline<Event> idle(TestRing ring) {
    return ring.pipeline().stage("idle").handledBy(batch -> {}).build();
  }

  // ---- drain ----

  @ParameterizedTest
  @EnumSource
  void drain_whenTheTimePasses_maybeRepeated(Kind kind) throws Exception {
    TestRing ring = kind.of(16);
    HeldHandler held = new HeldHandler();
    try (Pipeline<Event> pipeline = held(ring, held).build().start()) {
      ring.publishAll(0, 3);
      held.awaitReached();
      assertThat(pipeline.drain(Duration.ofMillis(1))).isFalse();
      assertThat(pipeline.drain(Duration.ZERO)).isFalse();
      assertThatThrownBy(() -> ring.publish(9))
          .hasMessageStartingWith("ring must be open to claim: ");
      held.letGo();
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(pipeline.drain(Duration.ZERO)).isTrue();
      assertThat(held.values()).containsExactly(0L, 1L, 2L);
      assertThat(pipeline.failure()).isNull();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"RECORDS_OF_MANY", "OBJECTS_OF_MANY"})
  void drain_whileAClaimIsOpen_waitsForItsPublication(Kind kind) throws Exception {
    TestRing ring = kind.of(16);
    HeldHandler handler = new HeldHandler();
    handler.letGo();
    try (Pipeline<Event> pipeline = held(ring, handler).build().start()) {
      ring.publish(0);
      long sequence = ring.sequencer().claim();
      assertThat(pipeline.drain(Duration.ofMillis(5))).isFalse();
      ring.sequencer().commit(sequence);
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(handler.values()).hasSize(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void drain_whenSomebodyCloses_doesNotSayThatAllIsHandled(Kind kind) throws Exception {
    TestRing ring = kind.of(16);
    HeldHandler held = new HeldHandler();
    try (Pipeline<Event> pipeline =
        ring.pipeline().stage("a").handledBy(held).maxBatch(1).build().start()) {
      ring.publishAll(0, 3);
      held.awaitReached();
      TestCall<Boolean> drain = TestCall.of(() -> pipeline.drain(TestCall.LONG));
      drain.awaitResting();
      TestCall<Boolean> closer = TestCall.run(pipeline::close);
      closer.awaitResting();
      held.letGo();
      assertThat(drain.failure())
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("pipeline must stay open until drained: pipeline");
      closer.result();
      assertThat(held.values()).containsExactly(0L);
    }
  }

  @Test
  void drain_whenInterrupted_throws_andMayBeRepeated() throws Exception {
    TestRing ring = Kind.OBJECTS_OF_ONE.of(16);
    HeldHandler held = new HeldHandler();
    try (Pipeline<Event> pipeline = held(ring, held).build().start()) {
      ring.publish(0);
      TestCall<Boolean> drain = TestCall.of(() -> pipeline.drain(TestCall.LONG));
      drain.awaitResting().thread().interrupt();
      assertThat(drain.failure()).isInstanceOf(InterruptedException.class);
      held.letGo();
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
    }
  }

  // ---- the order of calls ----

  @ParameterizedTest
  @EnumSource
  void calls_outOfOrder_areRefused(Kind kind) throws Exception {
    TestRing ring = kind.of(16);
    Pipeline<Event> pipeline = idle(ring);
    assertThatThrownBy(() -> pipeline.drain(TestCall.LONG))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("pipeline must be started and open: state=BUILT");
    assertThat(pipeline.start()).isSameAs(pipeline);
    assertThatThrownBy(pipeline::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("pipeline must be started only once, before it is closed: state=STARTED");
    pipeline.close();
    pipeline.close();
    ring.ring().close();
    assertThatThrownBy(pipeline::start)
        .hasMessage("pipeline must be started only once, before it is closed: state=CLOSED");
    assertThatThrownBy(() -> pipeline.drain(TestCall.LONG))
        .hasMessage("pipeline must be started and open: state=CLOSED");
    assertThat(pipeline.failure()).isNull();
  }

  @ParameterizedTest
  @EnumSource
  void close_beforeStart_freesTheRing(Kind kind) {
    TestRing ring = kind.of(16);
    Pipeline<Event> pipeline = idle(ring);
    pipeline.close();
    assertThat(ring.sequencer().isCompleted()).isTrue();
    assertThatThrownBy(pipeline::start)
        .hasMessage("pipeline must be started only once, before it is closed: state=CLOSED");
  }

  @ParameterizedTest
  @EnumSource
  void ring_afterClose_saysThatItIsClosed(Kind kind) throws Exception {
    TestRing ring = kind.of(16);
    Pipeline<Event> pipeline = idle(ring).start();
    ring.publish(0);
    pipeline.close();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> ring.publish(1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("ring must be open to claim: " + ring.ring())
          .hasNoCause();
      assertThatThrownBy(() -> ring.tryPublish(1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("ring must be open to claim: " + ring.ring());
    }
    assertThat(ring.sequencer().tryClaim()).isEqualTo(Sequencer.CLOSED);
  }

  // ---- by a handler ----

  @Test
  void closeAndDrainAndWarmUp_byAHandler_areRefused() throws Exception {
    assertRefused("closed", Pipeline::close);
    assertRefused("drained", pipeline -> pipeline.drain(TestCall.LONG));
    assertRefused("warmed up", pipeline -> pipeline.warmUp(1, event -> {}));
  }

  /** A call that waits for the handlers. */
  private interface Waiting {
    void call(Pipeline<Event> pipeline) throws Exception;
  }

  private static void assertRefused(String what, Waiting waiting) throws Exception {
    AtomicReference<Pipeline<Event>> itself = new AtomicReference<>();
    TestRing ring = Kind.OBJECTS_OF_MANY.of(16);
    Pipeline<Event> pipeline =
        ring.pipeline().stage("a").handledBy(batch -> waiting.call(itself.get())).build();
    itself.set(pipeline);
    pipeline.start();
    ring.publish(0);
    TestCall.await(() -> pipeline.failure() != null);
    assertThat(pipeline.failure())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("pipeline must not be " + what + " by a handler: Thread[");
    assertThat(ring.sequencer().failure()).isSameAs(pipeline.failure());
    pipeline.close();
  }

  @Test
  void closeAndDrain_byAHandler_whileAnotherThreadCloses_lockNobody() throws Exception {
    AtomicReference<Pipeline<Event>> itself = new AtomicReference<>();
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    List<Throwable> refusals = new ArrayList<>();
    TestRing ring = Kind.RECORDS_OF_MANY.of(16);
    Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("a")
            .handledBy(
                batch -> {
                  reached.countDown();
                  released.await();
                  for (TestCall.Body call :
                      List.<TestCall.Body>of(
                          () -> itself.get().close(),
                          () -> itself.get().drain(TestCall.LONG),
                          () -> itself.get().start())) {
                    try {
                      call.run();
                    } catch (IllegalStateException e) {
                      refusals.add(e);
                    }
                  }
                })
            .build();
    itself.set(pipeline);
    pipeline.start();
    ring.publish(0);
    reached.await();
    TestCall<Boolean> closer = TestCall.run(pipeline::close).awaitResting();
    released.countDown();
    closer.result();
    assertThat(refusals).hasSize(3);
    assertThat(pipeline.failure()).isNull();
  }
}
