package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.disruptor.TestRing.Kind;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What users of the LMAX Disruptor have asked for in vain, or complained of, holds here. Two more
 * are tested elsewhere: producers that are stuck after a shutdown (<a
 * href="https://github.com/LMAX-Exchange/disruptor/issues/182">#182</a>) in {@link
 * LifeCycleCloseTest}, and after a handler has failed (<a
 * href="https://github.com/LMAX-Exchange/disruptor/issues/217">#217</a>) in {@link
 * PipelineFailureTest}.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DisruptorComplaintsTest {
  private static final Duration LOOKED_AT = Duration.ofMillis(200);

  private final HeldHandler held = new HeldHandler();

  /** A pipeline that handles nothing before it is let go, and producers that wait for room. */
  private List<TestCall<Boolean>> fill(TestRing ring, int producers) {
    List<TestCall<Boolean>> calls = TestCall.run(producers, () -> ring.publishAll(0, 100));
    TestCall.await(() -> ring.sequencer().remainingCapacity() == 0);
    return calls;
  }

  private Pipeline<Event> heldPipeline(TestRing ring) {
    return ring.pipeline().stage("held").handledBy(held).build().start();
  }

  // ---- work sharing ----

  /**
   * Version 4 has no successor of {@code handleEventsWithWorkerPool}: consumers that share the
   * messages so that each is handled by one of them. <a
   * href="https://github.com/LMAX-Exchange/disruptor/issues/466">#466</a>, <a
   * href="https://github.com/LMAX-Exchange/disruptor/issues/467">#467</a>; the removal is <a
   * href="https://github.com/LMAX-Exchange/disruptor/issues/323">#323</a>.
   */
  @ParameterizedTest
  @EnumSource
  void sharedBy_whileOneWorkerIsBusy_theOthersHandleTheRest(Kind kind) throws Exception {
    int events = 40;
    AtomicInteger handled = new AtomicInteger();
    CountDownLatch released = new CountDownLatch(1);
    BatchHandler<Event> slowAtFirst =
        Pipeline.each(
            (event, sequence, isLast) -> {
              if (sequence == 0) {
                released.await();
              }
              handled.incrementAndGet();
            });
    TestRing ring = kind.of(64);
    try (Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("shared")
            .sharedBy(3, () -> slowAtFirst)
            .maxBatch(1)
            .build()
            .start()) {
      ring.publishAll(0, events);
      TestCall.await(() -> handled.get() == events - 1);
      released.countDown();
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(handled.get()).isEqualTo(events);
    }
  }

  // ---- how producers wait ----

  /**
   * Producers that find the ring full park for a nanosecond at a time, whatever the wait strategy,
   * and take all processors: <a
   * href="https://github.com/LMAX-Exchange/disruptor/issues/266">#266</a> with more producers than
   * cores, <a href="https://github.com/LMAX-Exchange/disruptor/issues/463">#463</a> where consumers
   * do not get to run any more. Here they cost next to nothing while they park.
   */
  @ParameterizedTest
  @EnumSource(names = {"RECORDS_OF_MANY", "OBJECTS_OF_MANY"})
  void parking_ofManyProducersOfAFullRing_takesNoProcessor(Kind kind) throws Exception {
    RingOptions options = kind.options(16).withProducerWaits(WaitStrategy.parking());
    TestRing ring = kind.of(options);
    try (Pipeline<Event> pipeline = heldPipeline(ring)) {
      List<TestCall<Boolean>> producers = fill(ring, 8);
      producers.forEach(TestCall::awaitResting);
      long nanos = cpuNanosWhileLookedAt(producers);
      assertThat(nanos).isLessThan(LOOKED_AT.toNanos() / 20); // of all eight

      held.letGo();
      TestCall.results(producers);
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(held.values()).hasSize(800);
    }
  }

  /**
   * How producers wait for room cannot be chosen: pull requests <a
   * href="https://github.com/LMAX-Exchange/disruptor/pull/500">#500</a> and <a
   * href="https://github.com/LMAX-Exchange/disruptor/pull/508">#508</a> would make it a strategy.
   * Here who wants to react at once spins, and never parks.
   */
  @ParameterizedTest
  @EnumSource
  void busySpin_ofAProducerOfAFullRing_neverParks(Kind kind) throws Exception {
    TestRing ring = kind.of(kind.options(16).withProducerWaits(WaitStrategy.busySpin()));
    try (Pipeline<Event> pipeline = heldPipeline(ring)) {
      TestCall<Boolean> producer = fill(ring, 1).getFirst();
      long begin = System.nanoTime();
      long cpuBefore = cpuNanos(producer);
      while (System.nanoTime() - begin < LOOKED_AT.toNanos() / 2) {
        assertThat(producer.thread().getState()).isEqualTo(Thread.State.RUNNABLE);
      }
      TestCall.await(() -> cpuNanos(producer) - cpuBefore > LOOKED_AT.toNanos() / 4); // it burns
      held.letGo();
      producer.result();
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
    }
  }

  /** The same: who wants to be looked for seldom sleeps as long as it says. */
  @ParameterizedTest
  @EnumSource
  void sleeping_ofAProducerOfAFullRing_takesLittle(Kind kind) throws Exception {
    WaitStrategy strategy = WaitStrategy.sleeping(Duration.ofMillis(2));
    TestRing ring = kind.of(kind.options(16).withProducerWaits(strategy));
    try (Pipeline<Event> pipeline = heldPipeline(ring)) {
      List<TestCall<Boolean>> producers = fill(ring, 1);
      producers.getFirst().awaitResting();
      assertThat(cpuNanosWhileLookedAt(producers)).isLessThan(LOOKED_AT.toNanos() / 10);
      held.letGo();
      producers.getFirst().result();
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
    }
  }

  private static long cpuNanosWhileLookedAt(List<TestCall<Boolean>> calls)
      throws InterruptedException {
    long before = calls.stream().mapToLong(DisruptorComplaintsTest::cpuNanos).sum();
    Thread.sleep(LOOKED_AT);
    return calls.stream().mapToLong(DisruptorComplaintsTest::cpuNanos).sum() - before;
  }

  private static long cpuNanos(TestCall<Boolean> call) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return threads.getThreadCpuTime(call.thread().threadId());
  }

  // ---- timed publish ----

  /**
   * Threads hang while they publish, and there is no timeout to give: <a
   * href="https://github.com/LMAX-Exchange/disruptor/issues/143">#143</a>. Here a claim has one, of
   * its own.
   */
  @ParameterizedTest
  @EnumSource
  void claim_withATimeout_comesBack(Kind kind) throws Exception {
    RingOptions options = kind.options(16).withProducerWaits(WaitStrategy.parking());
    TestRing ring = kind.of(options);
    try (Pipeline<Event> pipeline = heldPipeline(ring)) {
      ring.fill();
      assertThat(ring.sequencer().claim(1, Duration.ofMillis(10))).isEqualTo(Sequencer.FULL);
      held.letGo();
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(held.values()).doesNotContain(99L);
    }
  }

  // ---- shutdown ----

  /**
   * A full ring cannot be emptied at shutdown while its handlers are blocked, so that threads stay:
   * <a href="https://github.com/LMAX-Exchange/disruptor/issues/506">#506</a>. Here what is in it is
   * given up, and a closer that does not want to wait any more is interrupted, with which it
   * interrupts the handlers.
   */
  @ParameterizedTest
  @EnumSource
  void close_whileHandlersAreBlocked_endsByAnInterrupt(Kind kind) throws Exception {
    TestRing ring = kind.of(16);
    Pipeline<Event> pipeline = heldPipeline(ring);
    TestCall<Boolean> producer = fill(ring, 1).getFirst();
    held.awaitReached();
    TestCall<Boolean> closer = TestCall.run(pipeline::close).awaitResting();
    assertThat(producer.failure()).isInstanceOf(IllegalStateException.class);
    closer.thread().interrupt();
    closer.result();
    assertThat(held.values()).isEmpty();
  }
}
