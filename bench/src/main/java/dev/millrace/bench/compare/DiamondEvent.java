package dev.millrace.bench.compare;

/** A number, and a mark for each of two stages that stand side by side. */
interface DiamondEvent {
  long value();

  void value(long value);

  boolean three();

  void three(boolean isMarked);

  boolean five();

  void five(boolean isMarked);

  /** Writes what the producer writes. */
  default void set(long number) {
    three(false);
    five(false);
    value(number);
  }

  /** On the heap. */
  final class OnHeap implements DiamondEvent {
    private long value;
    private boolean three;
    private boolean five;

    @Override
    public long value() {
      return value;
    }

    @Override
    public void value(long value) {
      this.value = value;
    }

    @Override
    public boolean three() {
      return three;
    }

    @Override
    public void three(boolean isMarked) {
      three = isMarked;
    }

    @Override
    public boolean five() {
      return five;
    }

    @Override
    public void five(boolean isMarked) {
      five = isMarked;
    }
  }
}
