package dev.millrace.queues.messages;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.ring.ClaimWords;
import dev.millrace.core.internal.ring.GatedClaims;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.queues.internal.RingPeers;
import org.jspecify.annotations.Nullable;

/**
 * The claims of many producers in several processes. Each claim is announced, so that it can be
 * given up and its cells used again if its producer dies. With many consumers, their stamps say
 * which cells are free.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 */
final class AnnouncedClaims extends GatedClaims {
  /*
   * Only consumers give claims up, and only where the head is. The stamp there changes before the
   * head moves on, so an exchange cannot meet a stamp of a later turn. So a dead producer keeps its
   * place until consumers have passed its claim.
   *
   * A  head.setRelease in        ->  head.getAcquire in passedEnd    what the consumer has made of
   *    MessageConsumer.freeUpTo                                      the claim
   */
  private final DamageChecks checks;
  private final Sequence head;
  private final @Nullable FreedCells freed; // null with one consumer

  AnnouncedClaims(
      Stamps stamps,
      long stallNanos,
      ClaimWords words,
      RingPeers peers,
      DamageChecks checks,
      Sequence tail,
      Sequence head,
      @Nullable FreedCells freed) {
    super(stamps, stamps.capacity(), stallNanos, words, peers, tail, head);
    this.checks = checks;
    this.head = head;
    this.freed = freed;
  }

  @Override
  protected long slowest() {
    long first = freed == null ? super.slowest() : freed.end();
    // read after the head, so not behind it
    long tail = checks.checked("tail", end(), 0, DamageChecks.MOST);
    return checks.checked("head", first, 0, tail);
  }

  /** How far consumers have passed claims. */
  private long passedEnd() {
    // acquire A: what the consumer has made of the claim
    return freed == null ? head.getAcquire() : freed.takenEnd();
  }

  /** Aborts the open claim of a producer of this process that has stopped, if it has one. */
  void abandon(RingPeers.Seat seat) {
    long first = seat.claimed();
    if (first >= 0) {
      revocable().endLeft(first);
    }
  }

  /**
   * Recovers what a dead producer has left: see {@link RingPeers.Burial}. The consumer gives the
   * claim up. If its cells are then out of use, this lets go of them.
   */
  boolean recover(long first, long end, boolean wasMade) {
    // It announced no claim, did not make it, or announced an empty one, to pass cells out of use.
    // An empty one may count as made: it ends where a former consumer with this entry may have
    // moved the head.
    if (first < 0 || end <= first || end() < end) {
      return true;
    }
    if (passedEnd() < end) {
      return false;
    }
    if (wasMade) {
      revocation().letGoOf(first);
    }
    return true;
  }
}
