package dev.millrace.flyweight;

/**
 * Decides what a queue of Java records does with a record that does not fit into its slot. A record
 * does not fit if even one of its values is unsuitable. A string or an array may be too long, or a
 * number may have too many bits. A string may contain a NUL or half a surrogate pair. A component
 * that is not a box may be null. Values of some types never fit into a slot.
 *
 * @since 0.1.0
 */
public enum OnOversize {
  /**
   * The queue keeps the record on the heap instead of in its slot. The consumer receives the same
   * object.
   */
  SPILL,

  /**
   * If text is too long, the queue cuts it after the last whole character that fits. If any other
   * value does not fit, the queue keeps the record on the heap, as with {@link #SPILL}.
   */
  CUT,

  /**
   * Putting the record throws an {@link IllegalArgumentException} and leaves the queue unchanged.
   * The message names the component, the space for it and the value. A queue with this policy never
   * keeps a record on the heap, and cannot be made if the values of a component never fit into a
   * slot.
   */
  THROW
}
