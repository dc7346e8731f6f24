package dev.millrace.bench.compare;

/** The record on the heap, for contenders that pass references. */
final class Record24 {
  private long time;
  private long price;
  private long volume;

  Record24 set(long number) {
    time = number;
    price = number + 1;
    volume = number + 2;
    return this;
  }

  long sum() {
    return time + price + volume;
  }
}
