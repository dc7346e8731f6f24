package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.testkit.TestCall;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Finds waiting producers that take a processor, or park although they were told to spin, and a
 * busy worker that holds up the rest. What users of the LMAX Disruptor have asked for without
 * success, or complained of, holds here. Four more are tested elsewhere: producers that are stuck
 * after a shutdown (<a href="https://github.com/LMAX-Exchange/disruptor/issues/182">#182</a>) and a
 * shutdown while handlers are blocked (<a
 * href="https://github.com/LMAX-Exchange/disruptor/issues/506">#506</a>) in {@link LifeCycleTest},
 * producers that are stuck after a handler has failed (<a
 * href="https://github.com/LMAX-Exchange/disruptor/issues/217">#217</a>) in {@link
 * PipelineFailureTest}, and a claim with a timeout (<a
 * href="https://github.com/LMAX-Exchange/disruptor/issues/143">#143</a>) in {@link
 * SequencerWaitsTest}.
 */
class DisruptorComplaintsTest extends PipelineFixture {
  private static final Duration LOOKED_AT = Duration.ofMillis(200);

  /**
   * Starts a pipeline that handles nothing before it is let go, and producers that wait for room.
   */
  private List<TestCall<Boolean>> fill(WaitStrategy waits, int producers) {
    start(on(kind.options(16).withProducerWaits(waits)).stage("held").handledBy(held));
    List<TestCall<Boolean>> calls =
        TestCall.run(kind.producers(producers), () -> ring.publishAll(0, 100));
    TestCall.await(() -> ring.sequencer().remainingCapacity() == 0);
    return calls;
  }

  private void letGo(List<TestCall<Boolean>> producers) throws Exception {
    held.letGo();
    TestCall.results(producers);
    drain();
    assertThat(held.values()).hasSize(100 * producers.size());
  }

  // ---- work sharing ----

  /**
   * Version 4 has no successor of {@code handleEventsWithWorkerPool}: consumers that share the
   * messages so that each is handled by one of them. <a
   * href="https://github.com/LMAX-Exchange/disruptor/issues/466">#466</a>, <a
   * href="https://github.com/LMAX-Exchange/disruptor/issues/467">#467</a>; the removal is <a
   * href="https://github.com/LMAX-Exchange/disruptor/issues/323">#323</a>.
   */
  @Test
  void sharedBy_whileOneWorkerIsBusy_theOthersHandleTheRest() throws Exception {
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
    start(on(64).stage("shared").sharedBy(3, () -> slowAtFirst).maxBatch(1));
    ring.publishAll(0, events);
    TestCall.await(() -> handled.get() == events - 1);
    released.countDown();
    drain();
    assertThat(handled.get()).isEqualTo(events);
  }

  // ---- how producers wait ----

  /**
   * Producers that find the ring full park for a nanosecond at a time, whatever the wait strategy,
   * and take all processors: <a
   * href="https://github.com/LMAX-Exchange/disruptor/issues/266">#266</a> with more producers than
   * cores, <a href="https://github.com/LMAX-Exchange/disruptor/issues/463">#463</a> where consumers
   * do not get to run any more. Here they cost next to nothing while they park.
   */
  @Test
  void parking_ofManyProducersOfAFullRing_takesNoProcessor() throws Exception {
    assertTakesLittle(WaitStrategy.parking(), 8, 20); // of all eight
  }

  private void assertTakesLittle(WaitStrategy waits, int count, int share) throws Exception {
    List<TestCall<Boolean>> producers = fill(waits, count);
    producers.forEach(TestCall::awaitResting);
    long begin = System.nanoTime();
    long before = producers.stream().mapToLong(DisruptorComplaintsTest::cpuNanos).sum();
    Thread.sleep(LOOKED_AT);
    long after = producers.stream().mapToLong(DisruptorComplaintsTest::cpuNanos).sum();
    assertThat(after - before).isLessThan((System.nanoTime() - begin) / share);
    letGo(producers);
  }

  /**
   * How producers wait for room cannot be chosen: pull requests <a
   * href="https://github.com/LMAX-Exchange/disruptor/pull/500">#500</a> and <a
   * href="https://github.com/LMAX-Exchange/disruptor/pull/508">#508</a> would make it a strategy.
   * Here who wants to react at once spins, and never parks.
   */
  @Test
  void busySpin_ofAProducerOfAFullRing_neverParks() throws Exception {
    List<TestCall<Boolean>> producers = fill(WaitStrategy.busySpin(), 1);
    TestCall<Boolean> producer = producers.getFirst();
    long begin = System.nanoTime();
    long cpuBefore = cpuNanos(producer);
    while (System.nanoTime() - begin < LOOKED_AT.toNanos() / 2) {
      assertThat(producer.thread().getState()).isEqualTo(Thread.State.RUNNABLE);
    }
    TestCall.await(() -> cpuNanos(producer) - cpuBefore > LOOKED_AT.toNanos() / 4); // it burns
    letGo(producers);
  }

  /** The same: a consumer that asks to sleep long sleeps as long as it says. */
  @Test
  void sleeping_ofAProducerOfAFullRing_takesLittle() throws Exception {
    assertTakesLittle(WaitStrategy.sleeping(Duration.ofMillis(2)), 1, 10);
  }

  private static long cpuNanos(TestCall<Boolean> call) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return threads.getThreadCpuTime(call.thread().threadId());
  }
}
