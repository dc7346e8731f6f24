package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;

/**
 * The counts that claims of many producers keep.
 *
 * @param aborted slots whose claim was aborted
 * @param skipped slots that claimers have passed over because they were out of use
 * @param refused slots whose claim had been given up when it was to be committed
 * @param stalled slots whose claim was given up
 * @param outOfUse slots that are out of use; for a moment also slots that are about to be
 */
public record ClaimWords(
    Sequence aborted, Sequence skipped, Sequence refused, Sequence stalled, Sequence outOfUse) {
  /** Makes the counts of a ring that one process uses. */
  public static ClaimWords onHeap() {
    return new ClaimWords(
        new Sequence(), new Sequence(), new Sequence(), new Sequence(), new Sequence());
  }
}
