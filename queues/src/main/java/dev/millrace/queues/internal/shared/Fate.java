package dev.millrace.queues.internal.shared;

/** What is known of the participant that announced a claim. */
public enum Fate {
  /** It lives, as far as anybody can tell. */
  LIVE,
  /**
   * It was found dead and shut out, but its process still runs, so it may write where it claimed.
   */
  FENCED,
  /** It will never act again. */
  DEAD,
  /** No participant announces the claim: it has ended, or what the dead claimed was recovered. */
  UNKNOWN
}
