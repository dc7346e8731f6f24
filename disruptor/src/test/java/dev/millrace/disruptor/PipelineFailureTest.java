package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds a failure that leaves a producer, a stage or the thread that closes waiting, and one that
 * hides the failure before it.
 */
class PipelineFailureTest extends PipelineFixture {
  private final IOException diskFull = new IOException("disk full");

  /** Fails at an event, if it is given to this one. */
  private static BatchHandler<Event> failingAt(long value, Throwable failure) {
    return Pipeline.each(
        (event, sequence, isLast) -> {
          if (event.value() == value) {
            PipelineFixture.<RuntimeException>throwAny(failure);
          }
        });
  }

  private void assertHasStopped(Throwable failure) {
    assertThat(awaitFailure()).isSameAs(failure);
    assertThatThrownBy(() -> pipeline.drain(TestCall.LONG))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("pipeline, stage \"")
        .cause()
        .isSameAs(failure);
    for (int i = 0; i < 2; i++) { // open, then closed
      assertThatThrownBy(() -> ring.publish(0))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("ring takes no more events, since a stage failed: " + ring.ring())
          .cause()
          .isSameAs(failure);
      pipeline.close();
    }
    assertThat(pipeline.failure()).isSameAs(failure);
  }

  /** Runs a stage that fails at 2, on a thread that reports uncaught exceptions. */
  private CompletableFuture<Throwable> runFailing(UnaryOperator<PipelineBuilder<Event>> settings)
      throws Exception {
    CompletableFuture<Throwable> uncaught = new CompletableFuture<>();
    PipelineBuilder<Event> builder =
        on(8)
            .threads(
                Thread.ofPlatform()
                        .uncaughtExceptionHandler((_, failure) -> uncaught.complete(failure))
                    ::unstarted)
            .stage("price")
            .handledBy(failingAt(2, diskFull));
    start(settings.apply(builder)); // before all is published, because it throws what has failed
    ring.publishAll(0, 3);
    return uncaught;
  }

  @Test
  void failure_withoutAListener_reachesTheUncaughtExceptionHandler() throws Exception {
    assertThat(runFailing(builder -> builder).get(30, TimeUnit.SECONDS))
        .hasMessage("pipeline, stage \"price\" failed at sequence 2: " + diskFull)
        .hasCause(diskFull);
  }

  @Test
  void failure_withAListener_isNotReportedTwice() throws Exception {
    CompletableFuture<Throwable> uncaught = runFailing(builder -> builder.onFailure(this::tell));
    Throws.illegalState(
        "pipeline, stage \"price\" failed at sequence 2: " + diskFull,
        () -> pipeline.drain(TestCall.LONG));
    pipeline.close();
    assertThat(told).containsExactly("price 2 disk full");
    assertThat(uncaught).isNotDone();
  }

  // ---- no thread is locked in ----

  static Stream<Arguments> combinations() {
    BatchHandler<Event> failing = failingAt(100, new IOException("disk full"));
    List<Consumer<PipelineBuilder<Event>>> stages =
        List.of(
            stage -> stage.handledBy(failing),
            stage -> stage.handledBy(NOTHING, failing, NOTHING),
            stage -> stage.sharedBy(3, () -> failing),
            stage -> stage.sharedByKey(3, Event::value, () -> failing));
    return Stream.of(
            WaitStrategy.yielding(),
            WaitStrategy.sleeping(Duration.ofNanos(1_000)),
            WaitStrategy.parking())
        .flatMap(s -> stages.stream().map(stage -> Arguments.of(s, stage)));
  }

  @ParameterizedTest
  @MethodSource("combinations")
  void failure_inAnyKindOfStage_locksNobody(
      WaitStrategy strategy, Consumer<PipelineBuilder<Event>> settings) throws Exception {
    PipelineBuilder<Event> builder =
        on(kind.options(8).withProducerWaits(strategy)).onThread(this::noteThread);
    builder.stage("before").handledBy(NOTHING).waiting(strategy);
    builder.stage("beside").handledBy(NOTHING).waiting(strategy);
    settings.accept(builder.stage("failing").after("before").waiting(strategy));
    start(builder.stage("behind").after("failing").handledBy(NOTHING).waiting(strategy));
    assertProducersFail(publishing());
    assertHasStopped(pipeline.failure());
    for (Thread thread : threads) {
      assertThat(thread.join(TestCall.LONG)).isTrue();
    }
  }

  private List<TestCall<Boolean>> publishing() {
    return TestCall.run(kind.producers(3), () -> ring.publishAll(0, Long.MAX_VALUE));
  }

  private static void assertProducersFail(List<TestCall<Boolean>> producers) throws Exception {
    for (TestCall<Boolean> producer : producers) {
      assertThat(producer.failure())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("ring takes no more events, since a stage failed: ")
          .hasRootCauseMessage("disk full");
    }
  }

  @Test
  void failure_whileProducersRest_wakesThem() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    PipelineBuilder<Event> builder = on(kind.options(4).withProducerWaits(Waits.PARKS_AT_ONCE));
    start(builder.stage("a").handledBy(failingAfter(new CountDownLatch(1), released, diskFull)));
    List<TestCall<Boolean>> producers = publishing();
    producers.forEach(TestCall::awaitResting);
    released.countDown();
    assertProducersFail(producers);
    assertHasStopped(diskFull);
  }

  // ---- what stops ----

  static Stream<Throwable> thatAlwaysStop() {
    return Stream.of(
        new AssertionError("broken"),
        new InterruptedException("enough"),
        new Throwable("neither exception nor error"));
  }

  @ParameterizedTest
  @MethodSource("thatAlwaysStop")
  void failure_thatIsNoException_alwaysStops(Throwable failure) throws Exception {
    start(on(16).stage("a").retries(5).skipFailures().handledBy(failingAt(3, failure)));
    ring.publishAll(0, 4);
    assertHasStopped(failure);
    assertThat(snapshot().stages().getFirst().retries()).isZero();
  }

  @Test
  void errorOfTheKey_alwaysStops() throws Exception {
    AssertionError error = new AssertionError("no key");
    start(
        on(16)
            .stage("a")
            .retries(5)
            .skipFailures()
            .sharedByKey(
                2,
                event -> {
                  throw error;
                },
                () -> NOTHING));
    ring.publish(0);
    assertHasStopped(error);
  }

  @Test
  void interrupt_ofAWorkersThread_stops() {
    start(on(16).onThread(this::noteThread).stage("a").handledBy(NOTHING).skipFailures());
    threads.getFirst().interrupt();
    assertThat(awaitFailure()).isInstanceOf(InterruptedException.class);
    assertHasStopped(pipeline.failure());
  }

  // ---- which failure it is ----

  private static BatchHandler<Event> failingAfter(
      CountDownLatch reached, CountDownLatch released, IOException failure) {
    return batch -> {
      reached.countDown();
      released.await();
      throw failure;
    };
  }

  @Test
  void failure_ofTwoStages_isTheFirst() throws Exception {
    CountDownLatch bothReached = new CountDownLatch(2);
    CountDownLatch released = new CountDownLatch(1);
    PipelineBuilder<Event> stages = on(16);
    stages.stage("early").handledBy(failingAfter(bothReached, bothReached, diskFull));
    stages.stage("late").handledBy(failingAfter(bothReached, released, new IOException("late")));
    start(stages);
    ring.publish(0);
    awaitFailure();
    released.countDown();
    assertHasStopped(diskFull);
  }

  /** A handler with a hook at its beginning or end. */
  private record Hooked(BatchHandler<Event> handler, TestCall.Body atStart, TestCall.Body atEnd)
      implements BatchHandler<Event> {
    @Override
    public void onStart() throws Exception {
      atStart.run();
    }

    @Override
    public void onBatch(Batch<Event> batch) throws Exception {
      handler.onBatch(batch);
    }

    @Override
    public void onEnd() throws Exception {
      atEnd.run();
    }
  }

  private void failWithDiskFull() throws IOException {
    throw diskFull;
  }

  @Test
  void failure_whenOnEndFailsToo_isTheFirst_andIsKnownBefore() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    TestCall.Body atEnd =
        () -> {
          released.await();
          throw new IOException("cannot flush");
        };
    Hooked handler = new Hooked(failing(diskFull), () -> {}, atEnd);
    start(on(16).onFailure(this::tell).stage("a").handledBy(handler));
    ring.publish(0);
    awaitFailure(); // while onEnd is under way
    released.countDown();
    assertHasStopped(diskFull);
    assertThat(told).containsExactly("a 0 disk full", "a -1 cannot flush");
  }

  @Test
  void onEnd_whenItFails_isTheFailureOfTheDrain() {
    start(new Hooked(NOTHING, () -> {}, this::failWithDiskFull));
    assertThatThrownBy(() -> pipeline.drain(TestCall.LONG)).hasCause(diskFull);
  }

  // ---- without an event ----

  @Test
  void listener_whenItFails_stopsWithBothFailures() throws Exception {
    IllegalStateException ofListener = new IllegalStateException("no log");
    PipelineBuilder<Event> builder =
        on(16).onFailure(_ -> (_, _) -> PipelineFixture.<RuntimeException>throwAny(ofListener));
    start(builder.stage("a").handledBy(failing(diskFull)).skipFailures());
    ring.publish(0);
    assertThatThrownBy(() -> pipeline.drain(TestCall.LONG)).hasCause(ofListener);
    assertThat(ofListener).hasSuppressedException(diskFull);
  }

  @Test
  void listener_isToldOfFailuresWithoutAnEvent() {
    PipelineBuilder<Event> builder = on(16).onFailure(this::tell);
    builder.onThread((stage, worker) -> this::failWithDiskFull).stage("a").handledBy(NOTHING);
    start(builder);
    assertThatThrownBy(() -> pipeline.drain(TestCall.LONG)).hasCause(diskFull);
    pipeline.close();
    assertThat(told).containsExactly("a -1 disk full");
  }

  @Test
  void start_whenSomethingFails_throwsIt_andClosesWell() {
    List<String> calls = Collections.synchronizedList(new ArrayList<>());
    Hooked handler = new Hooked(NOTHING, this::failWithDiskFull, () -> calls.add("end"));
    Stream<Consumer<PipelineBuilder<Event>>> failing =
        Stream.of(
            builder -> builder.stage("b").handledBy(handler),
            builder -> builder.onThread(this::failAtTheSecond),
            builder -> builder.threads(this::threadButOnce));
    failing.forEach(
        settings -> {
          told.clear();
          PipelineBuilder<Event> builder = on(16).onFailure(this::tell);
          settings.accept(builder.stage("a").handledBy(NOTHING, NOTHING));
          pipeline = builder.build();
          assertThatThrownBy(pipeline::start)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageStartingWith("pipeline, ")
              .hasRootCauseMessage("disk full");
          Throws.illegalState("pipeline must be started only once...", pipeline::start);
          pipeline.close();
          assertThat(told).hasSizeLessThanOrEqualTo(1);
        });
    assertThat(calls).isEmpty(); // what has not begun does not end
  }

  private AutoCloseable failAtTheSecond(String stage, int worker) {
    if (worker == 1) {
      throw new UncheckedIOException(diskFull);
    }
    return null;
  }

  private Thread threadButOnce(Runnable task) {
    if (!threads.isEmpty()) {
      throw new IllegalStateException(diskFull);
    }
    threads.add(new Thread(task));
    return threads.getFirst();
  }

  @Test
  void start_whenThereIsNoThread_saysSo() {
    pipeline = on(16).threads(task -> null).stage("a").handledBy(NOTHING).build();
    assertThatThrownBy(pipeline::start)
        .isInstanceOf(IllegalStateException.class)
        .hasRootCauseMessage("thread factory must make a thread: stage=a");
  }

  @Test
  void start_whenAThreadRunsAlready_stopsThoseThatHaveBegun() throws Exception {
    Thread running = Thread.ofPlatform().daemon().start(LockSupport::park);
    pipeline =
        on(16)
            .threads(
                task -> {
                  threads.add(threads.isEmpty() ? new Thread(task) : running);
                  return threads.getLast();
                })
            .stage("a")
            .handledBy(NOTHING, NOTHING)
            .build();
    assertThatThrownBy(pipeline::start).hasCauseInstanceOf(IllegalThreadStateException.class);
    assertThat(threads.getFirst().join(TestCall.LONG)).isTrue();
  }
}
