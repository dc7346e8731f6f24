package dev.millrace.disruptor;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemorySegment;

/** A ring of numbers, be they in records or in objects, so that a test is written once for both. */
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

    RingOptions options(int capacity) {
      return hasManyProducers()
          ? RingOptions.multiProducer(capacity)
          : RingOptions.singleProducer(capacity);
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

  /** What the tests read and write. */
  interface Event {
    long value();

    void value(long value);

    long note();

    void note(long note);

    long other();

    void other(long other);
  }

  /** An event in a record. */
  static final class RecordEvent extends Flyweight implements Event {
    static final RecordLayout LAYOUT =
        RecordLayout.of(
            JAVA_LONG.withName("value"), JAVA_LONG.withName("note"), JAVA_LONG.withName("other"));
    static final FlyweightType<RecordEvent> TYPE = FlyweightType.of(RecordEvent::new);
    private static final Field VALUE = LAYOUT.field("value");
    private static final Field NOTE = LAYOUT.field("note");
    private static final Field OTHER = LAYOUT.field("other");

    RecordEvent(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    @Override
    public long value() {
      return getLong(VALUE);
    }

    @Override
    public void value(long value) {
      putLong(VALUE, value);
    }

    @Override
    public long note() {
      return getLong(NOTE);
    }

    @Override
    public void note(long note) {
      putLong(NOTE, note);
    }

    @Override
    public long other() {
      return getLong(OTHER);
    }

    @Override
    public void other(long other) {
      putLong(OTHER, other);
    }
  }

  /** An event that is an object. */
  static final class ObjectEvent implements Event {
    private long value;
    private long note;
    private long other;

    @Override
    public long value() {
      return value;
    }

    @Override
    public void value(long newValue) {
      value = newValue;
    }

    @Override
    public long note() {
      return note;
    }

    @Override
    public void note(long newNote) {
      note = newNote;
    }

    @Override
    public long other() {
      return other;
    }

    @Override
    public void other(long newOther) {
      other = newOther;
    }
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

  /** Publishes while there is room. */
  final void fill() {
    while (tryPublish(sequencer().claimedEnd())) {
      // that was one more
    }
  }

  private static final class OfRecords extends TestRing {
    private final RecordRing<RecordEvent> ring;
    private final ThreadLocal<RingProducer<RecordEvent>> producer;

    OfRecords(RingOptions options) {
      ring = RecordRing.of(RecordEvent.TYPE, options);
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

    private boolean written(RecordEvent event, long value) {
      if (event == null) {
        return false;
      }
      event.value(value);
      producer.get().commit();
      return true;
    }
  }

  private static final class OfObjects extends TestRing {
    private final ObjectRing<ObjectEvent> ring;

    OfObjects(RingOptions options) {
      ring = ObjectRing.of(options, ObjectEvent::new);
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
      return ring.publish(ObjectEvent::value, value);
    }

    @Override
    boolean tryPublish(long value) {
      return ring.tryPublish(ObjectEvent::value, value);
    }
  }
}
