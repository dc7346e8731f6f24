package dev.millrace.bench.compare;

/** An event of one number. */
interface ValueEvent {
  long value();

  void value(long value);

  /** On the heap. */
  final class OnHeap implements ValueEvent {
    private long value;

    @Override
    public long value() {
      return value;
    }

    @Override
    public void value(long value) {
      this.value = value;
    }
  }
}
