package dev.millrace.bench.compare;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemorySegment;

/** Two operands of the producer's, and what the first two of three stages make of them. */
interface StepsEvent extends Event {
  /** The operands' sum, whatever the number. */
  long SUM = 777;

  /** What the first stage reads. */
  long operandSum();

  void first(long result);

  long first();

  void second(long result);

  long second();

  /** On the heap. */
  final class OnHeap implements StepsEvent {
    private long one;
    private long two;
    private long first;
    private long second;

    @Override
    public void set(long number) {
      one = number;
      two = SUM - number;
    }

    @Override
    public long operandSum() {
      return one + two;
    }

    @Override
    public void first(long result) {
      first = result;
    }

    @Override
    public long first() {
      return first;
    }

    @Override
    public void second(long result) {
      second = result;
    }

    @Override
    public long second() {
      return second;
    }
  }

  /** In a ring's memory. */
  final class InPlace extends Flyweight implements StepsEvent {
    private static final RecordLayout LAYOUT =
        RecordLayout.of(
            JAVA_LONG.withName("one"),
            JAVA_LONG.withName("two"),
            JAVA_LONG.withName("first"),
            JAVA_LONG.withName("second"));
    private static final RecordLayout.Field ONE = LAYOUT.field("one");
    private static final RecordLayout.Field TWO = LAYOUT.field("two");
    private static final RecordLayout.Field FIRST = LAYOUT.field("first");
    private static final RecordLayout.Field SECOND = LAYOUT.field("second");

    InPlace(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    @Override
    public void set(long number) {
      putLong(ONE, number);
      putLong(TWO, SUM - number);
    }

    @Override
    public long operandSum() {
      return getLong(ONE) + getLong(TWO);
    }

    @Override
    public void first(long result) {
      putLong(FIRST, result);
    }

    @Override
    public long first() {
      return getLong(FIRST);
    }

    @Override
    public void second(long result) {
      putLong(SECOND, result);
    }

    @Override
    public long second() {
      return getLong(SECOND);
    }
  }
}
