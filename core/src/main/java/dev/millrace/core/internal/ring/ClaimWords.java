package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;

/**
 * What claims of many producers keep besides the tail: counts, and how many slots are out of use.
 *
 * @param aborted slots whose claim was aborted
 * @param skipped slots that claimers have passed over because they were out of use
 * @param refused slots whose claim had been given up when it was to be committed
 * @param stalled slots whose claim was given up
 * @param outOfUse slots that are out of use now
 * @param kept claims whose slots are out of use now
 */
public record ClaimWords(
    Sequence aborted,
    Sequence skipped,
    Sequence refused,
    Sequence stalled,
    Sequence outOfUse,
    Sequence kept) {
  /** Makes those of a ring that one process uses. */
  public static ClaimWords onHeap() {
    return new ClaimWords(
        new Sequence(),
        new Sequence(),
        new Sequence(),
        new Sequence(),
        new Sequence(),
        new Sequence());
  }
}
