package dev.millrace.flyweight;

import dev.millrace.flyweight.RecordLayout.Field;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.flyweight.internal.ClosedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Keeps the fields of whatever object lies before a {@link Flyweight} off its cache-line pair. */
class FlyweightLeftPad {
  @SuppressWarnings("unused") // padding
  private long l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12, l13, l14, l15;

  // After a header of 12 bytes HotSpot leaves a gap of 4 bytes for the first field that fits.
  // Without this field it put one of the cursor's references there, before the padding.
  @SuppressWarnings("unused")
  private int headerGap;
}

/**
 * Holds a position in memory between its pads, and gives access to the fields of the record there.
 *
 * <p>Every access stays within the record at the position: a field lies within its layout, and this
 * class checks that the field belongs to the record's layout. The memory segment checks that the
 * memory is alive and that the access is within its bounds. A move checks nothing. A comparison
 * there was measured at 0.2 ns, and it would be redundant, because each access is checked anyway.
 *
 * <p>All accesses are plain. The structure that positions the flyweight decides which thread may
 * access a record and when. Until the caller commits or releases the record, it belongs to the
 * caller.
 */
class FlyweightCursor extends FlyweightLeftPad {
  /** A position so far below zero that every access from there is outside the segment's bounds. */
  static final long UNPOSITIONED = Long.MIN_VALUE / 2;

  final MemorySegment memory;
  final RecordLayout layout;

  /** The flyweights that this one positions, or null if there are none. */
  final Flyweight @Nullable [] parts;

  long offset = UNPOSITIONED;

  FlyweightCursor(RecordLayout layout, MemorySegment memory, Flyweight[] parts) {
    this.layout = Objects.requireNonNull(layout, "layout");
    if (!memory.isNative()) {
      // A call site that has seen both kinds of segments stays several times slower.
      throw new IllegalArgumentException("memory must be native: memory=" + memory);
    }
    this.memory = memory;
    this.parts = parts.length == 0 ? null : parts.clone();
  }

  /**
   * Returns the layout for accessing {@code constant}, or null if the field holds bytes. If the
   * field is a constant, only one comparison remains of the check.
   */
  @SuppressWarnings("ReferenceEquality") // one comparison; an equal copy is a mistake
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

  /** Returns the position of the field {@code constant}, which was already checked. */
  final long at(Field constant) {
    FieldAt field = (FieldAt) constant;
    if (field.stride() != 0) {
      throw misuse(field, "accessed with an index: field=" + field);
    }
    return offset + field.offset();
  }

  /**
   * Returns the position of element {@code index} of the field {@code constant}, which was already
   * checked.
   */
  final long at(Field constant, int index) {
    FieldAt field = (FieldAt) constant;
    if (field.stride() == 0) {
      throw misuse(field, "accessed without an index: field=" + field);
    }
    return field.elementAt(offset, index);
  }

  /**
   * Explains a failed access in terms of the view. It is called only after a failure, so a
   * successful access costs no check but the memory segment's.
   *
   * @param failure what the access threw
   * @return the exception to throw, which is {@code failure} itself if neither the position nor the
   *     memory caused it
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

  /** Returns why no access can succeed, or null if accesses can succeed. */
  private @Nullable String whyUnusable() {
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

  /**
   * Returns the simple name of the view's interface, or of its class if the class was written by
   * hand.
   */
  static String nameOf(FlyweightCursor view) {
    Class<?> type = view.getClass();
    return (type.isHidden() ? type.getInterfaces()[0] : type).getSimpleName();
  }

  private static IllegalArgumentException misuse(FieldAt field, String rule) {
    return new IllegalArgumentException("field " + Checks.shown(field.path()) + " must be " + rule);
  }
}
