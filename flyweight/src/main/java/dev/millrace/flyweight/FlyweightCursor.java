package dev.millrace.flyweight;

import dev.millrace.flyweight.RecordLayout.Field;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.flyweight.internal.ClosedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/** Keeps the fields of whatever object lies before a {@link Flyweight} off its cache-line pair. */
class FlyweightLeftPad {
  @SuppressWarnings("unused") // padding
  private long l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12, l13, l14, l15;

  // After a header of 12 bytes HotSpot leaves a gap of 4 for the first field that fits. Without
  // this one it put a reference of the cursor there, before the padding.
  @SuppressWarnings("unused")
  private int headerGap;
}

/**
 * A position in memory between its pads, and the access to a field from there.
 *
 * <p>An access stays within the record at the position, since a field lies within its layout and is
 * checked here to be of this layout; the memory segment checks that the memory is alive and that
 * the place is within it. A move checks nothing: a compare there was measured at 0.2 ns, and each
 * access is checked all the same.
 *
 * <p>All access is plain: the structure that positions the flyweight decides which thread may touch
 * a record, and when; until it is given back, the record is the caller's.
 */
class FlyweightCursor extends FlyweightLeftPad {
  /** So far below zero that every access from there is out of the segment's bounds. */
  static final long UNPOSITIONED = Long.MIN_VALUE / 2;

  final MemorySegment memory;
  final RecordLayout layout;

  /** The flyweights that this one positions; null if there are none. */
  final Flyweight[] parts;

  long offset = UNPOSITIONED;

  FlyweightCursor(RecordLayout layout, MemorySegment memory, Flyweight[] parts) {
    this.layout = Objects.requireNonNull(layout, "layout");
    if (!memory.isNative()) {
      // A call site that sees both kinds of segments stays several times slower for ever.
      throw new IllegalArgumentException("memory must be native: memory=" + memory);
    }
    this.memory = memory;
    this.parts = parts.length == 0 ? null : parts.clone();
  }

  /**
   * Returns how a field is accessed, null if it is bytes. With a constant field all that is left of
   * the check is one compare.
   */
  @SuppressWarnings("ReferenceEquality") // one compare; equal layouts that differ are a mistake
  final ValueLayout layoutOf(Field constant, Class<?> type) {
    FieldAt field = (FieldAt) constant;
    if (field.layout() != layout) {
      throw misuse(field, "of the flyweight's own layout: field=" + field);
    }
    if (field.type() != type) {
      String itsType = FieldAt.nameOf(field.type());
      throw misuse(field, "accessed as " + itsType + ": type=" + FieldAt.nameOf(type));
    }
    return field.access();
  }

  /** Returns where a field that was checked is. */
  final long at(Field constant) {
    FieldAt field = (FieldAt) constant;
    if (field.stride() != 0) {
      throw misuse(field, "accessed with an index: field=" + field);
    }
    return offset + field.offset();
  }

  /** Returns where an element of a field that was checked is. */
  final long at(Field constant, int index) {
    FieldAt field = (FieldAt) constant;
    if (field.stride() == 0) {
      throw misuse(field, "accessed without an index: field=" + field);
    }
    return field.elementAt(offset, index);
  }

  /**
   * Explains a failed access in terms of the view. Called after the failure, so that a successful
   * access is checked by the memory segment alone.
   *
   * @param failure what the access threw
   * @return what to throw: the same, if neither the position nor the memory is the reason
   */
  final RuntimeException explained(RuntimeException failure) {
    String reason = whyUnusable();
    if (reason == null) {
      return failure;
    }
    return memory.scope().isAlive()
        ? new IndexOutOfBoundsException(reason)
        : new IllegalStateException(reason, failure);
  }

  /** Returns why no access can succeed; null if that is not so. */
  private String whyUnusable() {
    if (!memory.scope().isAlive()) {
      return "view of "
          + nameOf(this)
          + " may no longer be used: "
          + ClosedMemory.whyClosed(memory);
    }
    if (offset < 0) {
      return "view of "
          + nameOf(this)
          + " may not be used: it is on no record, because the claim was committed or aborted, the"
          + " poll was released, or there was none";
    }
    return offset + layout.sizeBytes() > memory.byteSize()
        ? "view of "
            + nameOf(this)
            + " must be within its memory: offset="
            + offset
            + ", sizeBytes="
            + layout.sizeBytes()
            + ", memory="
            + memory.byteSize()
        : null;
  }

  /** Returns the simple name of a view's interface, or of its class if it was written by hand. */
  static String nameOf(FlyweightCursor view) {
    Class<?> type = view.getClass();
    return (type.isHidden() ? type.getInterfaces()[0] : type).getSimpleName();
  }

  private static IllegalArgumentException misuse(FieldAt field, String rule) {
    return new IllegalArgumentException("field " + Checks.shown(field.path()) + " must be " + rule);
  }
}
