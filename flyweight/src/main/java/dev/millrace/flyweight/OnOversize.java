package dev.millrace.flyweight;

/**
 * Decides what a queue of Java records does with a record if one of its values does not fit into
 * the record's slot. Such a value is a string or an array that is too long, a string with a NUL or
 * half a surrogate pair, a number with too many bits, null in a component that is not a box, or a
 * value of a type that is never stored in a slot.
 *
 * @since 0.1.0
 */
public enum OnOversize {
  /**
   * The record is kept on the heap instead of in its slot, and the consumer receives the same
   * object.
   */
  SPILL,

  /**
   * Text that is too long is cut after the last whole character that fits. A record with any other
   * value that does not fit is kept on the heap, as with {@link #SPILL}.
   */
  CUT,

  /**
   * Putting the record throws an {@link IllegalArgumentException} that names the component, the
   * space for it and the value, and leaves the queue unchanged. No record is ever kept on the heap.
   * A component whose values are never stored in a slot is rejected when the queue is made.
   */
  THROW
}
