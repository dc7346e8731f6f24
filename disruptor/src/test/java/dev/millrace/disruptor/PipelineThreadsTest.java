package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.disruptor.TestRing.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** In which threads handlers run, how these wait, and what is called there. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PipelineThreadsTest {
  private static final int EVENTS = 3_000;

  // ---- threads ----

  @ParameterizedTest
  @MethodSource("dev.millrace.disruptor.Waits#strategies")
  void waiting_byAnyStrategy_losesNothing(WaitStrategy strategy) throws Exception {
    int events = strategy.spins() == WaitStrategy.FOREVER ? 20 : EVENTS;
    for (Kind kind : Kind.values()) {
      TestRing ring = kind.of(kind.options(8).withProducerWaits(strategy));
      CountingHandler last = new CountingHandler(events);
      ring.run(
          ring.pipeline()
              .stage("shared")
              .sharedBy(2, () -> new CountingHandler(events))
              .waiting(strategy)
              .stage("last")
              .after("shared")
              .handledBy(last)
              .waiting(strategy),
          events);
      assertThat(last.times()).isEqualTo(CountingHandler.once(events));
    }
  }

  @ParameterizedTest
  @EnumSource
  void threads_ofVirtualOnes_haveNamesAndHandleAll(Kind kind) throws Exception {
    Map<String, Boolean> isVirtual = new ConcurrentHashMap<>();
    CountingHandler last = new CountingHandler(EVENTS);
    TestRing ring = kind.of(64);
    ring.run(
        ring.pipeline()
            .named("orders")
            .threads(Thread.ofVirtual().factory())
            .stage("check")
            .sharedBy(
                2,
                () ->
                    batch -> {
                      Thread thread = Thread.currentThread();
                      isVirtual.put(thread.getName(), thread.isVirtual());
                    })
            .stage("count")
            .after("check")
            .handledBy(last),
        EVENTS);
    assertThat(last.times()).isEqualTo(CountingHandler.once(EVENTS));
    assertThat(isVirtual).isNotEmpty();
    assertThat(isVirtual.keySet()).isSubsetOf("orders-check-0", "orders-check-1");
    assertThat(isVirtual.values()).containsOnly(true);
  }

  @Test
  void onThread_isCalledAndClosedInEachWorkersThread() throws Exception {
    Map<String, Thread> begun = new ConcurrentHashMap<>();
    Map<String, Thread> closed = new ConcurrentHashMap<>();
    List<Thread> handling = Collections.synchronizedList(new ArrayList<>());
    TestRing ring = Kind.OBJECTS_OF_ONE.of(16);
    try (Pipeline<Event> pipeline =
        ring.pipeline()
            .onThread(
                (stage, worker) -> {
                  begun.put(stage + worker, Thread.currentThread());
                  return () -> closed.put(stage + worker, Thread.currentThread());
                })
            .stage("a")
            .sharedBy(2, () -> batch -> {})
            .stage("b")
            .handledBy(batch -> handling.add(Thread.currentThread()))
            .build()) {
      assertThat(begun).isEmpty();
      pipeline.start();
      assertThat(begun).containsOnlyKeys("a0", "a1", "b0");
      assertThat(closed).isEmpty();
      ring.publish(0);
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(closed).isEqualTo(begun);
      assertThat(handling).containsExactly(begun.get("b0"));
      assertThat(begun.get("b0").getName()).isEqualTo("pipeline-b-0");
      assertThat(begun.get("a1").getName()).isEqualTo("pipeline-a-1");
    }
  }

  @Test
  void handler_isToldOfStartTimeoutsAndEnd_inItsThread() throws Exception {
    List<String> calls = Collections.synchronizedList(new ArrayList<>());
    class Talkative implements BatchHandler<Event> {
      private Thread thread;

      private void note(String call) {
        assertThat(thread).isEqualTo(Thread.currentThread());
        if (calls.isEmpty() || !calls.getLast().equals(call)) {
          calls.add(call); // the timeouts once
        }
      }

      @Override
      public void onStart() {
        thread = Thread.currentThread();
        note("start");
      }

      @Override
      public void onTimeout() {
        note("timeout");
      }

      @Override
      public void onBatch(Batch<Event> batch) {
        note("batch");
      }

      @Override
      public void onEnd() {
        note("end");
      }
    }
    TestRing ring = Kind.RECORDS_OF_MANY.of(16);
    Duration limit = Duration.ofMillis(1);
    try (Pipeline<Event> pipeline =
        ring.pipeline().stage("a").handledBy(new Talkative()).timeout(limit).build().start()) {
      assertThat(calls).startsWith("start");
      TestCall.await(() -> calls.size() == 2);
      ring.publish(0);
      TestCall.await(() -> calls.size() == 4);
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(calls).containsExactly("start", "timeout", "batch", "timeout", "end");
    }
  }
}
