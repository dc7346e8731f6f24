package dev.millrace.core;

/**
 * Decides what {@code claim} does while a structure is full. In a full structure, {@code tryClaim}
 * returns null or 0 regardless of this setting. A claim with a timeout waits until the timeout has
 * passed, and only then gives up. With {@link #DROP_OLDEST}, a claim with a timeout makes room
 * instead of waiting. Each structure documents which of these policies it supports, and its factory
 * rejects the others.
 *
 * @since 0.1.0
 */
public enum OnFull {
  /** The producer waits until there is room, as its {@link WaitStrategy} prescribes. */
  WAIT,

  /** The claim returns null or 0 at once, and the new records count as dropped. */
  DROP_NEWEST,

  /**
   * The structure drops the oldest records until there is room, and counts each dropped record. If
   * a consumer holds the oldest record, the producer waits until the consumer releases that record.
   */
  DROP_OLDEST,

  /**
   * The claim returns null or 0 at once, and the structure counts as congested until half of it is
   * free again. This policy suits producers that can ask their own source to slow down.
   */
  SIGNAL
}
