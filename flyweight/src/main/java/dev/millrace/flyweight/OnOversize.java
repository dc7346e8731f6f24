package dev.millrace.flyweight;

/**
 * What a queue of Java records does with a record that has a value which does not fit into its
 * slot: a string or an array that is too long, a number with too many bits, null, or a value that
 * is never stored in a slot.
 *
 * @since 0.1.0
 */
public enum OnOversize {
  /** The record is kept on the heap instead of in its slot; what is taken is the same object. */
  SPILL,

  /**
   * A text that is too long is cut: as many whole characters as fit are kept. Whatever else does
   * not fit is kept on the heap, as by {@link #SPILL}.
   */
  CUT,

  /**
   * Putting throws {@link IllegalArgumentException}, which names the component, its room and the
   * value; the queue is unchanged. So no record is ever on the heap. Components of which nothing
   * lies in a slot are refused when the queue is made.
   */
  THROW
}
