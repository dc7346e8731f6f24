package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.disruptor.TestRing.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A close gets everybody out, whoever waits for whom, and however. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LifeCycleCloseTest {
  private static PipelineBuilder<Event> held(TestRing ring, HeldHandler held) {
    return ring.pipeline().stage("held").handledBy(held);
  }

  // ---- close gets everybody out ----

  static Stream<Arguments> kindsAndStrategies() {
    return Waits.strategiesAndSleeper().stream()
        .flatMap(s -> Stream.of(Kind.values()).map(kind -> Arguments.of(kind, s)));
  }

  @ParameterizedTest
  @MethodSource("kindsAndStrategies")
  void close_whileProducersAndStagesWait_getsAllOut(Kind kind, WaitStrategy strategy)
      throws Exception {
    TestRing ring = kind.of(kind.options(2).withProducerWaits(strategy));
    CountDownLatch released = new CountDownLatch(1);
    CountDownLatch reached = new CountDownLatch(1);
    Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("held")
            .handledBy(
                batch -> {
                  reached.countDown();
                  released.await();
                })
            .stage("idle")
            .after("held")
            .sharedBy(2, () -> batch -> {})
            .waiting(strategy)
            .build()
            .start();
    List<TestCall<Boolean>> producers =
        TestCall.run(kind.producers(2), () -> ring.publishAll(0, 3));
    reached.await();
    for (TestCall<Boolean> producer : producers) {
      TestCall.await(() -> isWaiting(producer.thread()) || TestCall.isResting(producer.thread()));
    }
    TestCall<Boolean> closer = TestCall.run(pipeline::close);
    for (TestCall<Boolean> producer : producers) { // before the handler lets go
      assertThat(producer.failure())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("ring must be open to claim: ")
          .hasNoCause();
    }
    assertThat(closer.isOver()).isFalse();
    released.countDown();
    closer.result();
    assertThat(pipeline.failure()).isNull();
  }

  @ParameterizedTest
  @EnumSource
  void closeAndDrain_whileStagesRest_wakeThem(Kind kind) throws Exception {
    List<WaitStrategy> strategies =
        List.of(WaitStrategy.parking(), WaitStrategy.sleeping(Duration.ofSeconds(1_000)));
    for (WaitStrategy strategy : strategies) {
      for (boolean drains : new boolean[] {false, true}) {
        Queue<Thread> workers = new ConcurrentLinkedQueue<>();
        Pipeline<Event> pipeline =
            kind.of(16)
                .pipeline()
                .onThread(
                    (stage, worker) -> {
                      workers.add(Thread.currentThread());
                      return null;
                    })
                .stage("a")
                .handledBy(batch -> {})
                .waiting(strategy)
                .stage("b")
                .after("a")
                .sharedBy(2, () -> batch -> {})
                .waiting(strategy)
                .build()
                .start();
        TestCall.await(() -> workers.stream().allMatch(TestCall::isResting));
        if (drains) {
          assertThat(pipeline.drain(TestCall.LONG)).isTrue();
        }
        TestCall.run(pipeline::close).result();
      }
    }
  }

  /** Whether a thread is in a wait, be it that it spins there. */
  private static boolean isWaiting(Thread thread) {
    return Stream.of(thread.getStackTrace())
        .anyMatch(
            frame ->
                frame.getClassName().endsWith(".Waiters")
                    || frame.getMethodName().equals("awaitClaim"));
  }

  @ParameterizedTest
  @EnumSource
  void close_losesWhatIsBehindTheBatchInHand(Kind kind) throws Exception {
    TestRing ring = kind.of(16);
    HeldHandler held = new HeldHandler();
    Pipeline<Event> pipeline = ring.pipeline().stage("held").handledBy(held).maxBatch(4).build();
    ring.publishAll(0, 10);
    pipeline.start();
    held.awaitReached();
    TestCall<Boolean> closer = TestCall.run(pipeline::close);
    closer.awaitResting();
    held.letGo();
    closer.result();
    assertThat(held.values()).containsExactly(0L, 1L, 2L, 3L);
  }

  @ParameterizedTest
  @EnumSource
  void close_whenTheCloserIsInterrupted_interruptsTheHandlers(Kind kind) throws Exception {
    TestRing ring = kind.of(16);
    CountDownLatch asleep = new CountDownLatch(1);
    Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("asleep")
            .handledBy(
                batch -> {
                  asleep.countDown();
                  Thread.sleep(Duration.ofHours(1));
                })
            .build()
            .start();
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
    TestRing ring = Kind.RECORDS_OF_MANY.of(16);
    HeldHandler held = new HeldHandler();
    Pipeline<Event> pipeline = held(ring, held).build().start();
    ring.publish(0);
    held.awaitReached();
    TestCall<Boolean> one = TestCall.run(pipeline::close).awaitResting();
    TestCall<Boolean> other = TestCall.run(pipeline::close).awaitResting();
    held.letGo();
    one.result();
    other.result();
  }
}
