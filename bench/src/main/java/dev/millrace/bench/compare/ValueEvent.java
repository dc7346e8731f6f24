package dev.millrace.bench.compare;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemorySegment;

/** An event of one number. */
interface ValueEvent extends Event {
  /** Reads it. */
  long value();

  /** On the heap. */
  final class OnHeap implements ValueEvent {
    private long value;

    @Override
    public void set(long number) {
      value = number;
    }

    @Override
    public long value() {
      return value;
    }
  }

  /** In a ring's memory. */
  final class InPlace extends Flyweight implements ValueEvent {
    private static final RecordLayout LAYOUT = RecordLayout.of(JAVA_LONG.withName("value"));
    private static final RecordLayout.Field VALUE = LAYOUT.field("value");

    InPlace(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    @Override
    public void set(long number) {
      putLong(VALUE, number);
    }

    @Override
    public long value() {
      return getLong(VALUE);
    }
  }
}
