package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.disruptor.TestRing.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A failure that stops a pipeline: all get out, and learn why. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PipelineFailureTest {
  private static final BatchHandler<Event> NOTHING = batch -> {};

  private final IOException diskFull = new IOException("disk full");

  /** Fails at an event, if it is given to this one. */
  private static BatchHandler<Event> failingAt(long value, Throwable failure) {
    return Pipeline.each(
        (event, sequence, isLast) -> {
          if (event.value() == value) {
            if (failure instanceof Error error) {
              throw error;
            }
            throw (Exception) failure;
          }
        });
  }

  private static void assertHasStopped(Pipeline<?> pipeline, TestRing ring, Throwable failure) {
    assertThat(pipeline.failure()).isSameAs(failure);
    assertThatThrownBy(() -> pipeline.drain(TestCall.LONG))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("pipeline, stage \"")
        .cause()
        .isSameAs(failure);
    for (int i = 0; i < 2; i++) { // open, then closed
      assertThatThrownBy(() -> ring.publish(0))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("ring must be open to claim, since a stage failed: " + ring.ring())
          .cause()
          .isSameAs(failure);
      pipeline.close();
    }
    assertThat(pipeline.failure()).isSameAs(failure);
  }

  /** A stage that fails at 2, on a thread that tells of uncaught exceptions. */
  private PipelineBuilder<Event> failing(TestRing ring, Consumer<Throwable> uncaught) {
    return ring.pipeline()
        .threads(
            work -> {
              Thread thread = new Thread(work);
              thread.setUncaughtExceptionHandler((_, failure) -> uncaught.accept(failure));
              return thread;
            })
        .stage("price")
        .handledBy(failingAt(2, diskFull));
  }

  @Test
  void failure_withoutAListener_reachesTheUncaughtExceptionHandler() throws Exception {
    CompletableFuture<Throwable> uncaught = new CompletableFuture<>();
    TestRing ring = Kind.OBJECTS_OF_ONE.of(8);
    try (Pipeline<Event> pipeline = failing(ring, uncaught::complete).build()) {
      pipeline.start(); // first, for it throws what has failed by then
      ring.publishAll(0, 3);
      assertThat(uncaught.get(30, TimeUnit.SECONDS))
          .hasMessage("pipeline, stage \"price\" failed at sequence 2: " + diskFull)
          .hasCause(diskFull);
    }
  }

  @Test
  void failure_withAListener_isNotReportedTwice() throws Exception {
    AtomicReference<Throwable> uncaught = new AtomicReference<>();
    List<Long> told = Collections.synchronizedList(new ArrayList<>());
    TestRing ring = Kind.OBJECTS_OF_ONE.of(8);
    try (Pipeline<Event> pipeline =
        failing(ring, uncaught::set)
            .onFailure(stage -> (failure, sequence) -> told.add(sequence))
            .build()) {
      pipeline.start(); // first, for it throws what has failed by then
      ring.publishAll(0, 3);
      assertThatThrownBy(() -> pipeline.drain(TestCall.LONG))
          .hasMessage("pipeline, stage \"price\" failed at sequence 2: " + diskFull);
    }
    assertThat(told).containsExactly(2L);
    assertThat(uncaught.get()).isNull();
  }

  @Test
  void failure_thatIsNeitherExceptionNorError_stopsThePipeline() throws Exception {
    Throwable bare = new Throwable("undeclared");
    TestRing ring = Kind.RECORDS_OF_ONE.of(8);
    Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("a")
            .handledBy(batch -> PipelineFailureTest.<RuntimeException>throwAny(bare))
            .skipFailures()
            .build()
            .start();
    ring.publish(0);
    TestCall.await(() -> pipeline.failure() != null);
    assertHasStopped(pipeline, ring, bare);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // throws what is not declared
  private static <T extends Throwable> void throwAny(Throwable failure) throws T {
    throw (T) failure;
  }

  // ---- nobody is locked in ----

  static Stream<Arguments> combinations() {
    List<BiConsumer<PipelineBuilder<Event>, BatchHandler<Event>>> stages =
        List.of(
            (stage, failing) -> stage.handledBy(failing),
            (stage, failing) -> stage.handledBy(NOTHING, failing, NOTHING),
            (stage, failing) -> stage.sharedBy(3, () -> failing),
            (stage, failing) -> stage.sharedByKey(3, Event::value, () -> failing));
    List<WaitStrategy> strategies =
        List.of(
            WaitStrategy.yielding(),
            WaitStrategy.sleeping(Duration.ofNanos(1_000)),
            WaitStrategy.parking());
    return Stream.of(Kind.values())
        .flatMap(
            kind ->
                strategies.stream()
                    .flatMap(s -> stages.stream().map(stage -> Arguments.of(kind, s, stage))));
  }

  @ParameterizedTest
  @MethodSource("combinations")
  void failure_inAnyKindOfStage_locksNobody(
      Kind kind,
      WaitStrategy strategy,
      BiConsumer<PipelineBuilder<Event>, BatchHandler<Event>> settings)
      throws Exception {
    TestRing ring = kind.of(kind.options(8).withProducerWaits(strategy));
    List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    PipelineBuilder<Event> builder =
        ring.pipeline()
            .onThread(
                (stage, worker) -> {
                  threads.add(Thread.currentThread());
                  return null;
                })
            .stage("before")
            .handledBy(NOTHING)
            .waiting(strategy)
            .stage("beside")
            .handledBy(NOTHING)
            .waiting(strategy)
            .stage("failing")
            .after("before")
            .waiting(strategy);
    settings.accept(builder, failingAt(100, diskFull));
    Pipeline<Event> pipeline =
        builder
            .stage("behind")
            .after("failing")
            .handledBy(NOTHING)
            .waiting(strategy)
            .build()
            .start();
    List<TestCall<Boolean>> producers =
        TestCall.run(kind.producers(3), () -> ring.publishAll(0, Long.MAX_VALUE));
    for (TestCall<Boolean> producer : producers) {
      assertThat(producer.failure())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("ring must be open to claim, since a stage failed: ")
          .hasCause(diskFull);
    }
    assertHasStopped(pipeline, ring, diskFull);
    for (Thread thread : threads) {
      assertThat(thread.join(TestCall.LONG)).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void failure_whileProducersRest_wakesThem(Kind kind) throws Exception {
    RingOptions options =
        kind.options(4).withProducerWaits(new WaitStrategy(0, 0, WaitStrategy.FOREVER));
    TestRing ring = kind.of(options);
    CountDownLatch released = new CountDownLatch(1);
    Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("a")
            .handledBy(
                batch -> {
                  released.await();
                  throw diskFull;
                })
            .build()
            .start();
    List<TestCall<Boolean>> producers =
        TestCall.run(kind.producers(3), () -> ring.publishAll(0, Long.MAX_VALUE));
    producers.forEach(TestCall::awaitResting);
    released.countDown();
    for (TestCall<Boolean> producer : producers) {
      assertThat(producer.failure()).hasCause(diskFull);
    }
    assertHasStopped(pipeline, ring, diskFull);
  }

  // ---- what stops ----

  @ParameterizedTest
  @EnumSource
  void error_alwaysStops(Kind kind) throws Exception {
    AssertionError error = new AssertionError("broken");
    assertStops(kind, error, stage -> stage.handledBy(failingAt(3, error)));
  }

  @ParameterizedTest
  @EnumSource
  void interruptedException_alwaysStops(Kind kind) throws Exception {
    InterruptedException interrupt = new InterruptedException("enough");
    assertStops(kind, interrupt, stage -> stage.handledBy(failingAt(3, interrupt)));
  }

  @ParameterizedTest
  @EnumSource
  void errorOfTheKey_alwaysStops(Kind kind) throws Exception {
    AssertionError failure = new AssertionError("no key");
    assertStops(
        kind,
        failure,
        stage ->
            stage.sharedByKey(
                2,
                event -> {
                  throw failure;
                },
                () -> NOTHING));
  }

  private static void assertStops(
      Kind kind, Throwable failure, Consumer<PipelineBuilder<Event>> settings) throws Exception {
    TestRing ring = kind.of(16);
    PipelineBuilder<Event> builder = ring.pipeline().stage("a").retries(5).skipFailures();
    settings.accept(builder);
    Pipeline<Event> pipeline = builder.build().start();
    ring.publishAll(0, 5);
    TestCall.await(() -> pipeline.failure() != null);
    assertHasStopped(pipeline, ring, failure);
  }

  @ParameterizedTest
  @EnumSource
  void interrupt_ofAWorkersThread_stops(Kind kind) throws Exception {
    TestRing ring = kind.of(16);
    AtomicReference<Thread> worker = new AtomicReference<>();
    Pipeline<Event> pipeline =
        ring.pipeline()
            .onThread(
                (stage, number) -> {
                  worker.set(Thread.currentThread());
                  return null;
                })
            .stage("a")
            .handledBy(NOTHING)
            .skipFailures()
            .build()
            .start();
    worker.get().interrupt();
    TestCall.await(() -> pipeline.failure() != null);
    assertThat(pipeline.failure()).isInstanceOf(InterruptedException.class);
    assertHasStopped(pipeline, ring, pipeline.failure());
  }

  // ---- which failure it is ----

  @Test
  void failure_ofTwoStages_isTheFirst() throws Exception {
    TestRing ring = Kind.OBJECTS_OF_MANY.of(16);
    CountDownLatch bothReached = new CountDownLatch(2);
    CountDownLatch released = new CountDownLatch(1);
    Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("early")
            .handledBy(
                batch -> {
                  bothReached.countDown();
                  bothReached.await();
                  throw diskFull;
                })
            .stage("late")
            .handledBy(
                batch -> {
                  bothReached.countDown();
                  released.await();
                  throw new IOException("late");
                })
            .build()
            .start();
    ring.publish(0);
    TestCall.await(() -> pipeline.failure() != null);
    released.countDown();
    assertHasStopped(pipeline, ring, diskFull);
  }

  @Test
  void failure_whenOnEndFailsToo_isTheFirst_andIsKnownBefore() throws Exception {
    TestRing ring = Kind.RECORDS_OF_ONE.of(16);
    CountDownLatch released = new CountDownLatch(1);
    List<String> told = Collections.synchronizedList(new ArrayList<>());
    Pipeline<Event> pipeline =
        ring.pipeline()
            .onFailure(stage -> (failure, at) -> told.add(at + " " + failure.getMessage()))
            .stage("a")
            .handledBy(
                new BatchHandler<>() {
                  @Override
                  public void onBatch(Batch<Event> batch) throws IOException {
                    throw diskFull;
                  }

                  @Override
                  public void onEnd() throws Exception {
                    released.await();
                    throw new IOException("cannot flush");
                  }
                })
            .build()
            .start();
    ring.publish(0);
    TestCall.await(() -> pipeline.failure() != null); // while onEnd is under way
    released.countDown();
    assertHasStopped(pipeline, ring, diskFull);
    assertThat(told).containsExactly("0 disk full", "-1 cannot flush");
  }

  @Test
  void onEnd_whenItFails_isTheFailureOfTheDrain() {
    Pipeline<Event> pipeline =
        Kind.OBJECTS_OF_ONE
            .of(16)
            .pipeline()
            .stage("a")
            .handledBy(
                new BatchHandler<>() {
                  @Override
                  public void onBatch(Batch<Event> batch) {}

                  @Override
                  public void onEnd() throws IOException {
                    throw diskFull;
                  }
                })
            .build()
            .start();
    assertThatThrownBy(() -> pipeline.drain(TestCall.LONG)).hasCause(diskFull);
    pipeline.close();
  }
}
