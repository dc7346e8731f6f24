package dev.millrace.core;

/**
 * Decides what {@code claim} does while a structure is full. In a full structure, {@code tryClaim}
 * returns null or 0 regardless of this setting. A claim with a timeout gives up only when the
 * timeout has passed. Until then it waits or, with {@link #DROP_OLDEST}, makes room. Each structure
 * documents which of these policies it supports, and its factory rejects the others.
 *
 * @since 0.1.0
 */
public enum OnFull {
  /** The producer waits until there is room. Its {@link WaitStrategy} determines how it waits. */
  WAIT,

  /** The claim returns null or 0 at once, and the new records count as dropped. */
  DROP_NEWEST,

  /**
   * The oldest records are dropped until there is room, and each of them is counted. A record that
   * a consumer holds is not dropped. Instead, the producer waits until the consumer releases it.
   */
  DROP_OLDEST,

  /**
   * The claim returns null or 0 at once, and the structure counts as congested until half of it is
   * free again. This suits producers that can ask their own source to slow down.
   */
  SIGNAL
}
