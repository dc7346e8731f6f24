package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.testkit.TestCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds an event that a stage misses, gets twice or gets before the stage it comes after, a key
 * that two workers have, and a batch that is larger than it may be.
 */
class PipelineRunTest extends PipelineFixture {
  private static final int EVENTS = 3_000;
  private static final int PRODUCERS = 3;

  /** Starts a pipeline, publishes all events, by many threads if the ring allows, and drains it. */
  private void run(PipelineBuilder<Event> described) throws Exception {
    start(described);
    int share = EVENTS / kind.producers(PRODUCERS);
    TestCall.results(
        TestCall.each(
            kind.producers(PRODUCERS),
            producer ->
                () -> {
                  ring.publishAll((long) producer * share, (producer + 1L) * share);
                  return true;
                }));
    drain();
    assertThat(pipeline.failure()).isNull();
    assertThat(snapshot().stages())
        .allMatch(stage -> stage.processed() == EVENTS && stage.lag() == 0);
  }

  // ---- who is given what ----

  @Test
  void handledBy_ofSeveral_eachSeesEachEventOnceInOrder() throws Exception {
    CountingHandler one = new CountingHandler(EVENTS);
    CountingHandler other = new CountingHandler(EVENTS);
    run(on(64).stage("only").handledBy(one, other));
    assertThat(one.times()).isEqualTo(CountingHandler.once(EVENTS));
    assertThat(other.times()).isEqualTo(CountingHandler.once(EVENTS));
  }

  @Test
  void sharedWork_givesEachEventToOneWorker() throws Exception {
    List<Consumer<PipelineBuilder<Event>>> ways = new ArrayList<>();
    List<CountingHandler> workers = new ArrayList<>();
    ways.add(stage -> stage.sharedBy(3, () -> made(workers)));
    ways.add(stage -> stage.sharedByKey(3, Event::value, () -> made(workers)));
    for (Consumer<PipelineBuilder<Event>> way : ways) {
      workers.clear();
      PipelineBuilder<Event> stage = on(64).stage("only");
      way.accept(stage);
      run(stage);
      assertThat(workers).hasSize(3);
      assertThat(CountingHandler.total(workers)).isEqualTo(CountingHandler.once(EVENTS));
      close();
    }
    assertThat(workers).as("by key").allMatch(worker -> worker.handled() > EVENTS / 10);
  }

  private static CountingHandler made(List<CountingHandler> all) {
    all.add(new CountingHandler(EVENTS));
    return all.getLast();
  }

  @Test
  void sharedByKey_keepsTheOrderOfEachKeyInOneWorker() throws Exception {
    int keys = 17;
    AtomicReferenceArray<Object> owners = new AtomicReferenceArray<>(keys);
    long[] last = new long[keys]; // each used by one worker
    class OfItsKeys implements BatchHandler<Event> {
      @Override
      public void onBatch(Batch<Event> batch) {
        while (batch.next()) {
          int key = (int) batch.event().value() % keys;
          Object owner = owners.compareAndExchange(key, null, this);
          boolean isFirst = owner == null;
          assertThat(isFirst || owner.equals(this)).isTrue();
          assertThat(isFirst || batch.sequence() > last[key]).isTrue();
          last[key] = batch.sequence();
        }
      }
    }
    run(
        on(64)
            .stage("only")
            .sharedByKey(4, event -> event.value() % keys - 8, OfItsKeys::new) // some below zero
            .maxBatch(7));
    long workers = Stream.iterate(0, i -> i < keys, i -> i + 1).map(owners::get).distinct().count();
    assertThat(workers).isGreaterThan(1);
  }

  // ---- graphs ----

  @Test
  void batch_whatIsLeftOfIt_countsAsHandled() throws Exception {
    CountingHandler behind = new CountingHandler(EVENTS);
    run(on(64).stage("a").handledBy(NOTHING).stage("b").after("a").handledBy(behind));
    assertThat(behind.times()).isEqualTo(CountingHandler.once(EVENTS));
  }

  @Test
  void changesInPlace_areSeenByTheStagesBehind() throws Exception {
    long[] sum = new long[1];
    PipelineBuilder<Event> stages = on(32);
    stages.stage("a").sharedBy(2, () -> Pipeline.each((e, at, end) -> e.note(2 * e.value())));
    stages.stage("b").handledBy(Pipeline.each((e, at, end) -> e.other(e.value() * e.value())));
    stages.stage("sum").after("a", "b");
    run(stages.handledBy(Pipeline.each((e, at, end) -> sum[0] += e.note() + e.other())));
    long last = EVENTS - 1;
    assertThat(sum[0]).isEqualTo(last * (last + 1) + last * (last + 1) * (2 * last + 1) / 6);
  }

  // ---- batches ----

  /** What a handler got with an event. */
  private record Told(long value, long sequence, int place, int size, int remaining, boolean last) {
    static Told of(Batch<Event> batch, int place) {
      return new Told(
          batch.event().value(),
          batch.sequence(),
          place,
          batch.size(),
          batch.remaining(),
          batch.isLast());
    }
  }

  @Test
  void batch_tellsWhereItIs_andIsNotLargerThanSaid() throws Exception {
    List<Told> told = Collections.synchronizedList(new ArrayList<>());
    BatchHandler<Event> handler =
        batch -> {
          for (int place = 0; batch.next(); place++) {
            told.add(Told.of(batch, place));
          }
          assertThat(batch.next()).isFalse();
        };
    run(7, on(16).stage("only").handledBy(handler).maxBatch(3));
    assertThat(told)
        .containsExactly(
            new Told(0, 0, 0, 3, 2, false),
            new Told(1, 1, 1, 3, 1, false),
            new Told(2, 2, 2, 3, 0, true),
            new Told(3, 3, 0, 3, 2, false),
            new Told(4, 4, 1, 3, 1, false),
            new Told(5, 5, 2, 3, 0, true),
            new Told(6, 6, 0, 1, 0, true));
  }

  @Test
  void each_isToldOfSequenceAndEndOfBatch() throws Exception {
    BatchHandler<Event> handler =
        Pipeline.each(
            (event, sequence, isLast) -> told.add(sequence + "=" + event.value() + isLast));
    run(3, on(16).stage("only").handledBy(handler).maxBatch(2));
    assertThat(told).containsExactly("0=0false", "1=1true", "2=2true");
  }

  @Test
  void each_ofTwoHandlers_hasAClassForEach() {
    BatchHandler<Event> one = Pipeline.each((event, sequence, isLast) -> {});
    BatchHandler<Event> other = Pipeline.each((event, sequence, isLast) -> {});
    assertThat(one.getClass()).isNotEqualTo(other.getClass());
  }

  // ---- threads ----

  @ParameterizedTest
  @MethodSource("dev.millrace.disruptor.Waits#strategies")
  void waiting_byAnyStrategy_losesNothing(WaitStrategy strategy) throws Exception {
    int events = strategy.spins() == WaitStrategy.FOREVER ? 20 : EVENTS;
    CountingHandler last = new CountingHandler(events);
    PipelineBuilder<Event> stages = on(kind.options(8).withProducerWaits(strategy));
    stages.stage("shared").sharedBy(2, () -> new CountingHandler(events)).waiting(strategy);
    start(stages.stage("last").after("shared").handledBy(last).waiting(strategy));
    ring.publishAll(0, events);
    drain();
    assertThat(last.times()).isEqualTo(CountingHandler.once(events));
  }

  @Test
  void threads_ofVirtualOnes_haveNamesAndHandleAll() throws Exception {
    Map<String, Boolean> isVirtual = new ConcurrentHashMap<>();
    BatchHandler<Event> check =
        batch -> {
          Thread thread = Thread.currentThread();
          isVirtual.put(thread.getName(), thread.isVirtual());
        };
    CountingHandler last = new CountingHandler(EVENTS);
    PipelineBuilder<Event> builder = on(64).named("orders").threads(Thread.ofVirtual().factory());
    builder.stage("check").sharedBy(2, () -> check);
    run(builder.stage("count").after("check").handledBy(last));
    assertThat(last.times()).isEqualTo(CountingHandler.once(EVENTS));
    assertThat(isVirtual).isNotEmpty();
    assertThat(isVirtual.keySet()).isSubsetOf("orders-check-0", "orders-check-1");
    assertThat(isVirtual.values()).containsOnly(true);
  }

  @Test
  void onThread_isCalledAndClosedInEachWorkersThread() throws Exception {
    Map<String, Thread> begun = new ConcurrentHashMap<>();
    Map<String, Thread> closed = new ConcurrentHashMap<>();
    PipelineBuilder<Event> stages =
        on(16)
            .onThread(
                (stage, worker) -> {
                  begun.put(stage + worker, Thread.currentThread());
                  return () -> closed.put(stage + worker, Thread.currentThread());
                });
    stages.stage("a").sharedBy(2, () -> NOTHING);
    pipeline = stages.stage("b").handledBy(batch -> threads.add(Thread.currentThread())).build();
    assertThat(begun).isEmpty();
    pipeline.start();
    assertThat(begun).containsOnlyKeys("a0", "a1", "b0");
    assertThat(closed).isEmpty();
    ring.publish(0);
    drain();
    assertThat(closed).isEqualTo(begun);
    assertThat(threads).containsExactly(begun.get("b0"));
    assertThat(begun.get("b0").getName()).isEqualTo("pipeline-b-0");
    assertThat(begun.get("a1").getName()).isEqualTo("pipeline-a-1");
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
    start(on(16).stage("a").handledBy(new Talkative()).timeout(Duration.ofMillis(1)));
    assertThat(calls).startsWith("start");
    TestCall.await(() -> calls.size() == 2);
    ring.publish(0);
    TestCall.await(() -> calls.size() == 4);
    drain();
    assertThat(calls).containsExactly("start", "timeout", "batch", "timeout", "end");
  }
}
