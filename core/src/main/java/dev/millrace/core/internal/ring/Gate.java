package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;

/** Finds out how far the slowest of several consumers is, because that one holds back producers. */
public final class Gate {
  /*
   * A  head.setRelease in SpscRing.release, MpscRing.release,  ->  head.getAcquire   slots are free
   *    MessageConsumer.freeUpTo and SequenceConsumer's kinds        in slowest        again
   */

  private Gate() {}

  /**
   * Returns how far the slowest consumer is, which is the least of the sequences in {@code heads}.
   * They are read in order. For consumers that share their work, the first is the sequence up to
   * which work has been handed out, and the others say what each consumer has in hand. Throws
   * {@link IllegalStateException} if there are no sequences, because then nothing would ever hold
   * back a producer.
   */
  public static long slowest(Sequence[] heads) {
    if (heads.length == 0) {
      throw new IllegalStateException("no consumer yet: create consumers before the first claim");
    }
    long least = Long.MAX_VALUE;
    for (Sequence head : heads) {
      least = Math.min(least, head.getAcquire()); // acquire A: sees release, hence slots are free
    }
    return least;
  }
}
