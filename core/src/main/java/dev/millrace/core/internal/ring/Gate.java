package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;

/** How far the slowest of several consumers is, which is what holds back producers. */
public final class Gate {
  /*
   * A  head.setRelease in SpscRing.release, MpscRing.release,  ->  head.getAcquire   slots are free
   *    MessageConsumer.freeUpTo and SequenceConsumer's kinds        in slowest        again
   */

  private Gate() {}

  /**
   * Returns how far the slowest consumer is: the least of the sequences. They are read in their
   * order: for consumers that share their work, first the one up to which it has been handed out,
   * then what each has in hand. Throws {@link IllegalStateException} if there are none, because
   * then nothing would ever hold up a producer.
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
