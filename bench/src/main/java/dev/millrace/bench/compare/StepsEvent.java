package dev.millrace.bench.compare;

/** Two operands of the producer's, and what the first two of three stages make of them. */
interface StepsEvent {
  /** The operands' sum, whatever the number. */
  long SUM = 777;

  long one();

  void one(long value);

  long two();

  void two(long value);

  long first();

  void first(long value);

  long second();

  void second(long value);

  /** Writes what the producer writes. */
  default void set(long number) {
    one(number);
    two(SUM - number);
  }

  /** On the heap. */
  final class OnHeap implements StepsEvent {
    private long one;
    private long two;
    private long first;
    private long second;

    @Override
    public long one() {
      return one;
    }

    @Override
    public void one(long value) {
      one = value;
    }

    @Override
    public long two() {
      return two;
    }

    @Override
    public void two(long value) {
      two = value;
    }

    @Override
    public long first() {
      return first;
    }

    @Override
    public void first(long value) {
      first = value;
    }

    @Override
    public long second() {
      return second;
    }

    @Override
    public void second(long value) {
      second = value;
    }
  }
}
