package dev.millrace.bench.onethread;

import java.util.Arrays;
import java.util.List;

/** Contenders that do the same. */
public enum Work {
  /** One producer, one consumer. */
  SPSC,
  /** Many producers, one consumer. */
  MPSC,
  /** Many of both. */
  MPMC,
  /** Java records, by the interface of the JDK. */
  RECORDS,
  /** Preallocated events with one consumer. */
  RING;

  List<Contender> contenders() {
    return Arrays.stream(Contender.values()).filter(one -> one.work() == this).toList();
  }
}
