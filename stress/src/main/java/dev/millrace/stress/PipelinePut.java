package dev.millrace.stress;

import java.util.BitSet;

/** One producer's part of a {@link PipelineLedger}. */
final class PipelinePut {
  private final int producer;
  private final int producers;
  private final BitSet accepted = new BitSet();
  private int next;
  long refused;
  long aborted;
  long dropped;
  long signalled;

  PipelinePut(int producer, int producers) {
    this.producer = producer;
    this.producers = producers;
  }

  /** Numbers that no event had, at this distance; returns the first one. */
  int nextNumbers(int count) {
    int first = next * producers + producer;
    next += count;
    return first;
  }

  int step() {
    return producers;
  }

  int claimed() {
    return next;
  }

  /** The events of a claim that was published. */
  void published(int first, int count, boolean isAccepted) {
    if (!isAccepted) {
      refused += count;
      return;
    }
    for (int i = 0; i < count; i++) {
      accepted.set(first + i * producers);
    }
  }

  BitSet accepted() {
    return accepted;
  }
}
