package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.testkit.TestCall;
import java.lang.foreign.Arena;

/** A ring of numbers, in records or in objects, so that each test is written once for both. */
abstract class TestRing {
  /** Which ring, and who publishes. */
  enum Kind {
    RECORDS_OF_ONE,
    RECORDS_OF_MANY,
    OBJECTS_OF_ONE,
    OBJECTS_OF_MANY;

    boolean hasManyProducers() {
      return this == RECORDS_OF_MANY || this == OBJECTS_OF_MANY;
    }

    /** As many producers as asked for, or the only one that the ring allows. */
    int producers(int most) {
      return hasManyProducers() ? most : 1;
    }

    RingOptions options(int capacity) {
      return (hasManyProducers() ? Producers.MANY : Producers.ONE).options(capacity);
    }

    TestRing of(int capacity) {
      return of(options(capacity));
    }

    TestRing of(RingOptions options) {
      return this == RECORDS_OF_ONE || this == RECORDS_OF_MANY
          ? new OfRecords(options)
          : new OfObjects(options);
    }
  }

  /** What the tests read and write; the library implements it in a record. */
  interface Event {
    long value();

    void value(long value);

    long note();

    void note(long note);

    long other();

    void other(long other);
  }

  /** An event that is an object, with memory of its own. */
  static Event newObject() {
    FlyweightType<Event> type = FlyweightType.of(Event.class);
    Event event = type.newFlyweight(Arena.ofAuto().allocate(type.layout().sizeBytes(), 8));
    ((Flyweight) event).moveTo(0);
    return event;
  }

  abstract EventRing<?> ring();

  abstract PipelineBuilder<? extends Event> newBuilder();

  /** Publishes, or does what the back-pressure says. */
  abstract boolean publish(long value) throws InterruptedException;

  /** Publishes if a slot is free. */
  abstract boolean tryPublish(long value);

  @SuppressWarnings("unchecked") // a pipeline only hands out events
  final PipelineBuilder<Event> pipeline() {
    return (PipelineBuilder<Event>) newBuilder();
  }

  final Sequencer sequencer() {
    return ring().sequencer;
  }

  final void publishAll(long from, long to) throws InterruptedException {
    for (long value = from; value < to; value++) {
      publish(value);
    }
  }

  /** Runs a pipeline on the values below a count, to its end. */
  final void run(PipelineBuilder<Event> described, int count) throws Exception {
    try (Pipeline<Event> pipeline = described.build().start()) {
      publishAll(0, count);
      assertThat(pipeline.drain(TestCall.LONG)).isTrue();
    }
  }

  /** Publishes while there is room. */
  final void fill() {
    while (tryPublish(sequencer().claimedEnd())) {
      // that was one more
    }
  }

  private static final class OfRecords extends TestRing {
    private final RecordRing<Event> ring;
    private final ThreadLocal<RingProducer<Event>> producer;

    OfRecords(RingOptions options) {
      ring = RecordRing.of(Event.class, options);
      producer =
          ThreadLocal.withInitial(options.manyProducers() ? ring::newProducer : ring::producer);
    }

    @Override
    EventRing<?> ring() {
      return ring;
    }

    @Override
    PipelineBuilder<? extends Event> newBuilder() {
      return Pipeline.on(ring);
    }

    @Override
    boolean publish(long value) throws InterruptedException {
      return written(producer.get().claim(), value);
    }

    @Override
    boolean tryPublish(long value) {
      return written(producer.get().tryClaim(), value);
    }

    private boolean written(Event event, long value) {
      if (event == null) {
        return false;
      }
      event.value(value);
      producer.get().commit();
      return true;
    }
  }

  private static final class OfObjects extends TestRing {
    private final ObjectRing<Event> ring;

    OfObjects(RingOptions options) {
      ring = ObjectRing.of(options, TestRing::newObject);
    }

    @Override
    EventRing<?> ring() {
      return ring;
    }

    @Override
    PipelineBuilder<? extends Event> newBuilder() {
      return Pipeline.on(ring);
    }

    @Override
    boolean publish(long value) throws InterruptedException {
      return ring.publish(Event::value, value);
    }

    @Override
    boolean tryPublish(long value) {
      return ring.tryPublish(Event::value, value);
    }
  }
}
