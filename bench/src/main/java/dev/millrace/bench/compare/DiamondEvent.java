package dev.millrace.bench.compare;

import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemorySegment;

/** A number, and a mark for each of two stages that stand side by side. */
interface DiamondEvent extends Event {
  long value();

  void markThree();

  void markFive();

  /** Whether both stages have marked it. */
  boolean isMarkedTwice();

  /** On the heap. */
  final class OnHeap implements DiamondEvent {
    private long value;
    private boolean three;
    private boolean five;

    @Override
    public void set(long number) {
      three = false;
      five = false;
      value = number;
    }

    @Override
    public long value() {
      return value;
    }

    @Override
    public void markThree() {
      three = true;
    }

    @Override
    public void markFive() {
      five = true;
    }

    @Override
    public boolean isMarkedTwice() {
      return three && five;
    }
  }

  /** In a ring's memory. */
  final class InPlace extends Flyweight implements DiamondEvent {
    private static final RecordLayout LAYOUT =
        RecordLayout.of(
            JAVA_LONG.withName("value"),
            JAVA_BOOLEAN.withName("three"),
            JAVA_BOOLEAN.withName("five"));
    private static final RecordLayout.Field VALUE = LAYOUT.field("value");
    private static final RecordLayout.Field THREE = LAYOUT.field("three");
    private static final RecordLayout.Field FIVE = LAYOUT.field("five");

    InPlace(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    @Override
    public void set(long number) {
      putBoolean(THREE, false);
      putBoolean(FIVE, false);
      putLong(VALUE, number);
    }

    @Override
    public long value() {
      return getLong(VALUE);
    }

    @Override
    public void markThree() {
      putBoolean(THREE, true);
    }

    @Override
    public void markFive() {
      putBoolean(FIVE, true);
    }

    @Override
    public boolean isMarkedTwice() {
      return getBoolean(THREE) && getBoolean(FIVE);
    }
  }
}
