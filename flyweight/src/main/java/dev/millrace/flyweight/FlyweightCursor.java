package dev.millrace.flyweight;

import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
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
      // A call site that sees both kinds of segments is several times slower for ever.
      throw new IllegalArgumentException("memory must be native: memory=" + memory);
    }
    this.memory = memory;
    this.parts = parts.length == 0 ? null : parts.clone();
  }

  /**
   * Returns where a field is; with a constant field all that is left of the check is one compare.
   */
  @SuppressWarnings("ReferenceEquality") // one compare; equal layouts that differ are a mistake
  final long at(Field constant, Class<?> type) {
    FieldAt field = (FieldAt) constant;
    if (field.layout() != layout || field.type() != type || field.stride() != 0) {
      throw misuse(field, type, "with");
    }
    return offset + field.offset();
  }

  /** Returns where an element of a field with an open index is. */
  @SuppressWarnings("ReferenceEquality") // as above
  final long at(Field constant, Class<?> type, int index) {
    FieldAt field = (FieldAt) constant;
    if (field.layout() != layout || field.type() != type || field.stride() == 0) {
      throw misuse(field, type, "without");
    }
    checkIndex(field.path(), field.count(), index);
    return offset + field.offset() + index * field.stride();
  }

  static void checkIndex(String path, int count, int index) {
    if (index < 0 || index >= count) {
      throw new IndexOutOfBoundsException(
          "index of " + path + " must be in 0.." + (count - 1) + ": index=" + index);
    }
  }

  @SuppressWarnings("ReferenceEquality") // as above
  private IllegalArgumentException misuse(FieldAt field, Class<?> type, String with) {
    String rule =
        field.layout() != layout
            ? "of the flyweight's own layout: field=" + field
            : field.type() != type
                ? "accessed as " + FieldAt.nameOf(field.type()) + ": type=" + FieldAt.nameOf(type)
                : "accessed " + with + " an index: field=" + field;
    return new IllegalArgumentException("field " + field.path() + " must be " + rule);
  }

  final byte readByte(long at) {
    return (byte) BYTE.get(memory, at); // plain: the caller's record
  }

  final void writeByte(long at, byte value) {
    BYTE.set(memory, at, value); // plain: the caller's record
  }

  final short readShort(long at, Field field) {
    short value = (short) SHORT.get(memory, at); // plain: the caller's record
    return isSwapped(field) ? Short.reverseBytes(value) : value;
  }

  final void writeShort(long at, Field field, short value) {
    // plain: the caller's record
    SHORT.set(memory, at, isSwapped(field) ? Short.reverseBytes(value) : value);
  }

  final int readInt(long at, Field field) {
    int value = (int) INT.get(memory, at); // plain: the caller's record
    return isSwapped(field) ? Integer.reverseBytes(value) : value;
  }

  final void writeInt(long at, Field field, int value) {
    // plain: the caller's record
    INT.set(memory, at, isSwapped(field) ? Integer.reverseBytes(value) : value);
  }

  final long readLong(long at, Field field) {
    long value = (long) LONG.get(memory, at); // plain: the caller's record
    return isSwapped(field) ? Long.reverseBytes(value) : value;
  }

  final void writeLong(long at, Field field, long value) {
    // plain: the caller's record
    LONG.set(memory, at, isSwapped(field) ? Long.reverseBytes(value) : value);
  }

  private static boolean isSwapped(Field field) {
    return ((FieldAt) field).isSwapped();
  }

  // Plain access in the machine's byte order: the structure that positions the flyweight decides
  // which thread may touch a record, and when; until it is given back, the record is the caller's.
  // Unaligned, since a layout may be packed; on machines that can, it is the same instruction.
  static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle().withInvokeExactBehavior();
  private static final VarHandle SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.varHandle().withInvokeExactBehavior();
  private static final VarHandle INT =
      ValueLayout.JAVA_INT_UNALIGNED.varHandle().withInvokeExactBehavior();
  private static final VarHandle LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.varHandle().withInvokeExactBehavior();
}
