package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.OnFull;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.testkit.Allocations;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a handler that may wait for room in its own full ring. It would wait for itself, and all
 * others for it.
 */
class SelfPublishTest extends PipelineFixture {
  private static final int CAPACITY = 8;
  private static final int ASKS = 1_000;
  private static final String RULE =
      "a handler cannot wait for room in its own ring, because it would wait for itself: use"
          + " tryPublish or tryClaim, Sequencer[...";

  /** Where the handler is. */
  enum Place {
    ALONE,
    FOLLOWED,
    LAST,
    BESIDE,
    SHARED,
    BY_KEY,
    PASSED_ON
  }

  private final CountDownLatch begun = new CountDownLatch(1);

  private PipelineBuilder<Event> stages(Place place, BatchHandler<Event> handler) {
    PipelineBuilder<Event> all = on(CAPACITY).onFailure(this::tell);
    return switch (place) {
      case ALONE -> all.stage("a").handledBy(handler);
      case FOLLOWED -> all.stage("a").handledBy(handler).stage("b").after("a").handledBy(held);
      case LAST -> all.stage("a").handledBy(NOTHING).stage("b").after("a").handledBy(handler);
      case BESIDE -> all.stage("a").handledBy(held, handler).stage("b").handledBy(held);
      case SHARED -> all.stage("a").sharedBy(2, () -> handler);
      case BY_KEY -> all.stage("a").sharedByKey(2, Event::value, () -> handler);
      case PASSED_ON -> all.threads(SelfPublishTest::passing).stage("a").handledBy(handler);
    };
  }

  /** A thread that has the worker run by another. */
  private static Thread passing(Runnable worker) {
    return new Thread(
        () -> {
          try {
            boolean _ = TestCall.run(worker::run).result();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** Starts a pipeline on a full ring; its handlers may go on then. */
  private void startFull(PipelineBuilder<Event> described) {
    pipeline = described.build();
    ring.fill();
    pipeline.start();
    begun.countDown();
  }

  private void assertRefused() {
    assertThat(awaitFailure()).isInstanceOf(IllegalStateException.class);
    Throws.illegalState(
        RULE,
        () -> {
          throw pipeline.failure();
        });
  }

  @ParameterizedTest
  @EnumSource
  void publish_byAHandlerOfTheFullRing_isRefusedWhereverItStands(Place place) {
    startFull(
        stages(
            place,
            Pipeline.each(
                (event, sequence, isLast) -> {
                  begun.await();
                  synchronized (begun) { // a stage may have two threads, the ring one producer
                    ring.publish(9);
                  }
                })));
    assertRefused();
  }

  @Test
  void claims_byAHandlerOfTheFullRing_areRefusedIfTheyWaitWithoutALimit() throws Exception {
    CountDownLatch tried = new CountDownLatch(1);
    startFull(
        on(CAPACITY)
            .stage("a")
            .handledBy(
                batch -> {
                  begun.await();
                  if (tried.getCount() == 0) {
                    return; // there is room now
                  }
                  Throws.illegalState(RULE, waits());
                  assertThat(ring.tryPublish(9)).isFalse();
                  assertThat(ring.sequencer().claim(1, Duration.ZERO)).isEqualTo(Sequencer.FULL);
                  assertThat(ring.sequencer().claim(1, Duration.ofMillis(1)))
                      .as("its wait ends by itself")
                      .isEqualTo(Sequencer.FULL);
                  tried.countDown();
                }));
    TestCall.await(() -> tried.getCount() == 0 || pipeline.failure() != null);
    drain();
  }

  /** All that wait without a limit. */
  private ThrowingCallable[] waits() {
    Sequencer sequencer = ring.sequencer();
    List<ThrowingCallable> waits = new ArrayList<>(List.of(sequencer::claim));
    waits.add(() -> sequencer.claim(CAPACITY));
    waits.add(() -> ring.publish(9));
    if (ring.ring() instanceof RecordRing<?> records) {
      RingProducer<?> producer =
          kind.hasManyProducers() ? records.newProducer() : records.producer();
      waits.add(() -> producer.claim(CAPACITY));
    } else if (ring.ring() instanceof ObjectRing<?> objects) {
      BiConsumer<Object, Object> writer = (event, argument) -> {};
      waits.add(() -> objects.publish((event, a, b, c) -> {}, 1, 2, 3));
      waits.add(() -> objects.publishAll(writer, List.of(1, 2)));
    }
    return waits.toArray(ThrowingCallable[]::new);
  }

  @ParameterizedTest
  @ValueSource(strings = {"onStart", "onTimeout"})
  void publish_untilTheRingIsFull_isRefusedInEachCallOfAWorker(String call) {
    BatchHandler<Event> publishing =
        new BatchHandler<>() {
          @Override
          public void onStart() throws InterruptedException {
            publishIf("onStart");
          }

          @Override
          public void onTimeout() throws InterruptedException {
            publishIf("onTimeout");
          }

          @Override
          public void onBatch(Batch<Event> batch) {}

          private void publishIf(String called) throws InterruptedException {
            if (call.equals(called)) {
              ring.publishAll(0, CAPACITY + 1);
            }
          }
        };
    PipelineBuilder<Event> stages = on(CAPACITY).onFailure(this::tell);
    pipeline = stages.stage("a").handledBy(publishing).timeout(Duration.ofMillis(1)).build();
    try {
      pipeline.start();
    } catch (IllegalStateException e) {
      assertThat(e).cause().isSameAs(pipeline.failure());
    }
    assertRefused();
  }

  @Test
  void publish_whereEventsAreDropped_isNot() throws Exception {
    for (OnFull policy : List.of(OnFull.DROP_NEWEST, OnFull.SIGNAL)) {
      CountDownLatch tried = new CountDownLatch(1);
      startFull(
          on(kind.options(CAPACITY).withOnFull(policy))
              .stage("a")
              .handledBy(
                  batch -> {
                    begun.await();
                    assertThat(tried.getCount() == 0 || !ring.publish(9)).isTrue();
                    tried.countDown();
                  }));
      tried.await();
      drain();
      pipeline.close();
    }
  }

  /** Producers that wait for room ask each time. */
  @Test
  void checkMayWait_ofAProducer_allocatesNothing() throws Exception {
    pipeline = stages(Place.SHARED, NOTHING).build();
    Sequencer sequencer = ring.sequencer();
    TestCall.Body asks =
        () -> {
          for (int i = 0; i < ASKS; i++) {
            sequencer.checkMayWait(1);
          }
        };
    asks.run(); // what is made once
    assertThat(Allocations.bytesIn(asks) / ASKS).isZero();
  }

  /** The handler of one ring waits for room in another, which is not its own. */
  @Test
  void publish_byAHandlerOfAnotherRing_waits() throws Exception {
    start(on(CAPACITY).stage("held").handledBy(held));
    TestRing other = kind.of(1 << 4);
    AtomicReference<Thread> waiting = new AtomicReference<>();
    BatchHandler<Event> passing =
        batch -> {
          ring.fill();
          waiting.set(Thread.currentThread());
          ring.publish(9);
        };
    try (Pipeline<Event> feeding = other.pipeline().stage("b").handledBy(passing).build().start()) {
      other.publish(0);
      TestCall.await(() -> waiting.get() != null && TestCall.isResting(waiting.get()));
      held.letGo();
      assertThat(feeding.drain(TestCall.LONG)).isTrue();
      assertThat(feeding.failure()).isNull();
    }
    drain();
    assertThat(held.values()).endsWith(9L);
  }
}
