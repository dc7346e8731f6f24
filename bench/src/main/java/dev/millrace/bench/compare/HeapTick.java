package dev.millrace.bench.compare;

import dev.millrace.bench.Words;

/**
 * The record on the heap, for contenders that pass references: three fields, and an array for what
 * is beyond them. Shorter records leave fields untouched. The choice is by a constant and costs
 * records of 24 bytes nothing: the methods stay within the 35 bytes that are inlined even where
 * calls are rare.
 */
final class HeapTick {
  private static final boolean USUAL = Words.COUNT == Words.USUAL;

  private long time;
  private long price;
  private long volume;
  private long[] rest; // not final: that would cost the constructor a barrier

  HeapTick() {
    if (Words.COUNT > Words.USUAL) {
      rest = new long[Words.COUNT - Words.USUAL];
    }
  }

  HeapTick set(long number) {
    if (!USUAL) {
      return setAll(number);
    }
    time = number;
    price = number + 1;
    volume = number + 2;
    return this;
  }

  long sum() {
    return USUAL ? time + price + volume : sumOfAll();
  }

  private HeapTick setAll(long number) {
    time = number;
    if (Words.COUNT > 1) {
      price = number + 1;
    }
    if (Words.COUNT > 2) {
      volume = number + 2;
    }
    for (int i = Words.USUAL; i < Words.COUNT; i++) {
      rest[i - Words.USUAL] = number + i;
    }
    return this;
  }

  private long sumOfAll() {
    long sum = time;
    if (Words.COUNT > 1) {
      sum += price;
    }
    if (Words.COUNT > 2) {
      sum += volume;
    }
    for (int i = Words.USUAL; i < Words.COUNT; i++) {
      sum += rest[i - Words.USUAL];
    }
    return sum;
  }
}
