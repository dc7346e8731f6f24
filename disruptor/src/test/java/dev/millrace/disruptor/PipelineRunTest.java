package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.disruptor.TestRing.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Who is given which events, in which batches, in what order, and in which thread. */
@ParameterizedClass
@EnumSource(Kind.class)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PipelineRunTest {
  private static final int EVENTS = 3_000;
  private static final int PRODUCERS = 3;

  @Parameter Kind kind;

  /** Runs one stage on all events, which many threads publish if the ring allows it. */
  private void run(Consumer<PipelineBuilder<Event>> settings) throws Exception {
    TestRing ring = kind.of(64);
    PipelineBuilder<Event> builder = ring.pipeline().stage("only");
    settings.accept(builder);
    try (Pipeline<Event> pipeline = builder.build().start()) {
      publish(ring);
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
      assertThat(pipeline.failure()).isNull();
      assertThat(Snapshot.of(pipeline).stages().getFirst().processed()).isEqualTo(EVENTS);
    }
  }

  private void publish(TestRing ring) throws Exception {
    if (!kind.hasManyProducers()) {
      ring.publishAll(0, EVENTS);
      return;
    }
    List<TestCall<Boolean>> producers = new ArrayList<>();
    int share = EVENTS / PRODUCERS;
    for (int from = 0; from < EVENTS; from += share) {
      int first = from;
      producers.add(TestCall.run(() -> ring.publishAll(first, first + share)));
    }
    TestCall.results(producers);
  }

  // ---- who is given what ----

  @Test
  void handledBy_seesEachEventOnceInOrder() throws Exception {
    CountingHandler handler = new CountingHandler(EVENTS);
    run(stage -> stage.handledBy(handler));
    assertThat(handler.times()).isEqualTo(CountingHandler.once(EVENTS));
  }

  @Test
  void handledBy_ofSeveral_eachSeesEachEventOnceInOrder() throws Exception {
    CountingHandler one = new CountingHandler(EVENTS);
    CountingHandler other = new CountingHandler(EVENTS);
    run(stage -> stage.handledBy(one, other));
    assertThat(one.times()).isEqualTo(CountingHandler.once(EVENTS));
    assertThat(other.times()).isEqualTo(CountingHandler.once(EVENTS));
  }

  @Test
  void sharedBy_givesEachEventToOneWorker() throws Exception {
    List<CountingHandler> workers = new ArrayList<>();
    run(stage -> stage.sharedBy(3, () -> made(workers)));
    assertThat(workers).hasSize(3);
    assertThat(CountingHandler.total(workers)).isEqualTo(CountingHandler.once(EVENTS));
  }

  @Test
  void sharedByKey_givesEachEventToOneWorker() throws Exception {
    List<CountingHandler> workers = new ArrayList<>();
    run(stage -> stage.sharedByKey(3, Event::value, () -> made(workers)));
    assertThat(CountingHandler.total(workers)).isEqualTo(CountingHandler.once(EVENTS));
    assertThat(workers).allMatch(worker -> worker.handled() > EVENTS / 10);
  }

  private static CountingHandler made(List<CountingHandler> all) {
    CountingHandler handler = new CountingHandler(EVENTS);
    all.add(handler);
    return handler;
  }

  @Test
  void sharedByKey_keepsTheOrderOfEachKeyInOneWorker() throws Exception {
    int keys = 17;
    AtomicReferenceArray<Object> owners = new AtomicReferenceArray<>(keys);
    long[] last = new long[keys]; // each used by one worker
    run(
        stage ->
            stage
                .sharedByKey(
                    4,
                    event -> event.value() % keys - 8, // some below zero
                    () ->
                        new BatchHandler<>() {
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
                        })
                .maxBatch(7));
    long workers = Stream.iterate(0, i -> i < keys, i -> i + 1).map(owners::get).distinct().count();
    assertThat(workers).isGreaterThan(1);
  }

  // ---- batches ----

  /** What a handler was told of an event. */
  private record Told(
      long value, long sequence, int place, int size, int remaining, boolean last) {}

  @Test
  void batch_tellsWhereItIs_andIsNotLargerThanSaid() throws Exception {
    List<Told> told = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    TestRing ring = kind.of(16);
    try (Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("only")
            .handledBy(
                batch -> {
                  for (int place = 0; batch.next(); place++) {
                    told.add(toldBy(batch, place));
                    reached.countDown();
                    released.await();
                  }
                  assertThat(batch.next()).isFalse();
                })
            .maxBatch(3)
            .build()
            .start()) {
      ring.publish(100);
      reached.await();
      ring.publishAll(101, 108);
      released.countDown();
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
    }
    // 1 alone, as it was there first; then 7 that are there together, by threes
    assertThat(told)
        .containsExactly(
            new Told(100, 0, 0, 1, 0, true),
            new Told(101, 1, 0, 3, 2, false),
            new Told(102, 2, 1, 3, 1, false),
            new Told(103, 3, 2, 3, 0, true),
            new Told(104, 4, 0, 3, 2, false),
            new Told(105, 5, 1, 3, 1, false),
            new Told(106, 6, 2, 3, 0, true),
            new Told(107, 7, 0, 1, 0, true));
  }

  private static Told toldBy(Batch<Event> batch, int place) {
    return new Told(
        batch.event().value(),
        batch.sequence(),
        place,
        batch.size(),
        batch.remaining(),
        batch.isLast());
  }

  @Test
  void each_isToldOfSequenceAndEndOfBatch() throws Exception {
    List<String> told = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch released = new CountDownLatch(1);
    TestRing ring = kind.of(16);
    try (Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("only")
            .handledBy(
                Pipeline.each(
                    (event, sequence, isLast) -> {
                      told.add(sequence + "=" + event.value() + isLast);
                      released.await();
                    }))
            .build()
            .start()) {
      ring.publish(10);
      TestCall.await(() -> !told.isEmpty());
      ring.publishAll(11, 14);
      released.countDown();
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
    }
    assertThat(told).containsExactly("0=10true", "1=11false", "2=12false", "3=13true");
  }

  @Test
  void each_ofTwoHandlers_hasAClassForEach() {
    BatchHandler<Event> one = Pipeline.each((event, sequence, isLast) -> {});
    BatchHandler<Event> other = Pipeline.each((event, sequence, isLast) -> {});
    assertThat(one.getClass()).isNotEqualTo(other.getClass());
  }

  @Test
  void batch_whatIsLeftOfIt_countsAsHandled() throws Exception {
    CountingHandler behind = new CountingHandler(EVENTS);
    TestRing ring = kind.of(64);
    ring.run(
        ring.pipeline()
            .stage("looks away")
            .handledBy(batch -> {})
            .stage("looks")
            .after("looks away")
            .handledBy(behind),
        EVENTS);
    assertThat(behind.times()).isEqualTo(CountingHandler.once(EVENTS));
  }

  @Test
  void changesInPlace_areSeenByTheStagesBehind() throws Exception {
    TestRing ring = kind.of(32);
    long[] sum = new long[1];
    ring.run(
        ring.pipeline()
            .stage("double")
            .sharedBy(2, () -> Pipeline.each((e, at, end) -> e.note(2 * e.value())))
            .stage("square")
            .handledBy(Pipeline.each((e, at, end) -> e.other(e.value() * e.value())))
            .stage("sum")
            .after("double", "square")
            .handledBy(Pipeline.each((e, at, end) -> sum[0] += e.note() + e.other())),
        EVENTS);
    long last = EVENTS - 1;
    assertThat(sum[0]).isEqualTo(last * (last + 1) + last * (last + 1) * (2 * last + 1) / 6);
  }
}
