package dev.millrace.flyweight;

import dev.millrace.core.internal.Checks;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What a record of fixed size looks like in memory: the names, types and offsets of its fields.
 *
 * <p><b>Members.</b> Named {@link MemoryLayout}s: every primitive type in either byte order,
 * aligned or not; structs; sequences of any of these, also of sequences. A sequence of bytes is one
 * field that holds text or raw bytes. Refused are addresses (a record must mean the same to another
 * process), unions, members aligned to more than the 8 bytes of a slot, and members that no path
 * could name.
 *
 * <p><b>Paths.</b> {@code price}; {@code header.version} in a struct; {@code levels[3].price} of
 * one element; {@code levels[].price} with an open index, which each access fills in. A path may
 * have one open index.
 *
 * <p><b>Roles.</b> Immutable: any thread may use it.
 *
 * <p><b>Failure.</b> Everything is checked here, once, so that an access by {@link Field} needs
 * little more than a look at its constants. {@link #toString} draws the layout with its paddings.
 *
 * <p><b>Cost.</b> Lookups by path walk the layout and allocate: keep each {@link Field} in a {@code
 * static final}. It is a record, whose finals the just-in-time compiler trusts, so that offset,
 * type check and byte order become constants in the code.
 *
 * @since 0.1.0
 */
public final class RecordLayout {
  private final GroupLayout layout;
  private final LayoutTable table;

  private RecordLayout(GroupLayout layout) {
    this.layout = layout;
    this.table = new LayoutTable(layout);
    Checks.inRange("size", layout.byteSize(), 1, Integer.MAX_VALUE);
  }

  /**
   * Lays out members as C does: each at the next multiple of its alignment, the whole rounded up to
   * the largest alignment among them. A padding may be given, too, and stays where it is.
   *
   * @param members the named members, in order
   * @return the layout
   * @throws IllegalArgumentException if a member cannot be part of a record
   */
  public static RecordLayout of(MemoryLayout... members) {
    List<MemoryLayout> laidOut = new ArrayList<>();
    long offset = 0;
    long alignment = 1;
    for (MemoryLayout member : members) {
      offset = addPadding(laidOut, offset, member.byteAlignment());
      laidOut.add(member);
      offset += member.byteSize();
      alignment = Math.max(alignment, member.byteAlignment());
    }
    addPadding(laidOut, offset, alignment);
    return new RecordLayout(MemoryLayout.structLayout(laidOut.toArray(MemoryLayout[]::new)));
  }

  /**
   * Takes a struct as it is, with the paddings that it has and no others.
   *
   * @param struct the struct; its own name does not matter
   * @return the layout
   * @throws IllegalArgumentException if a member cannot be part of a record
   */
  public static RecordLayout of(GroupLayout struct) {
    return new RecordLayout(struct);
  }

  /**
   * Returns the size of a record, paddings included.
   *
   * @return bytes, at least 1
   */
  public long sizeBytes() {
    return layout.byteSize();
  }

  /**
   * Returns the alignment under which each aligned member is at a multiple of its own.
   *
   * @return bytes: 1, 2, 4 or 8
   */
  public long alignmentBytes() {
    return layout.byteAlignment();
  }

  /**
   * Returns the layout in the terms of {@code java.lang.foreign}.
   *
   * @return a struct with its paddings
   */
  public GroupLayout layout() {
    return layout;
  }

  /**
   * Finds a field.
   *
   * @param path where it is, as described above
   * @return the field, for the accessors of a {@link Flyweight} of this layout
   * @throws IllegalArgumentException if the path names no field, or has more than one open index
   */
  public Field field(String path) {
    FieldPath end = new FieldPath(layout, path);
    Class<?> type = typeOf(end.layout());
    if (type == null) {
      throw unknown("field", path);
    }
    boolean swapped = end.layout() instanceof ValueLayout value && isSwapped(value);
    long sizeBytes = end.layout().byteSize();
    int count = (int) end.count(); // fits, as the whole record does
    return new Field(this, path, end.offset(), sizeBytes, type, swapped, end.stride(), count);
  }

  /**
   * Tells where a field, struct or sequence starts, for those who access the memory themselves.
   *
   * @param path where it is, as described above, without an open index
   * @return bytes from the start of the record
   * @throws IllegalArgumentException if the path names nothing, or has an open index
   */
  public long offsetOf(String path) {
    FieldPath end = new FieldPath(layout, path);
    if (end.layout() == null) {
      throw unknown("member", path);
    }
    if (end.stride() != 0) {
      throw new IllegalArgumentException("path must have no open index: path=" + path);
    }
    return end.offset();
  }

  /** Compares the layouts: names, types, byte orders, alignments and paddings. */
  @Override
  public boolean equals(Object other) {
    return other instanceof RecordLayout that && layout.equals(that.layout);
  }

  @Override
  public int hashCode() {
    return layout.hashCode();
  }

  /**
   * Draws the layout as a table: a line for each field and padding with offset, size, type, byte
   * order where it is not the machine's, and name; what repeats is followed by how often and at
   * which distance; the last line has the total.
   */
  @Override
  public String toString() {
    return table.toString();
  }

  /** Returns whether the bytes of a value are in the order that is not the machine's. */
  static boolean isSwapped(ValueLayout value) {
    return value.byteSize() > 1 && value.order() != ByteOrder.nativeOrder();
  }

  private static Class<?> typeOf(MemoryLayout layout) {
    if (layout instanceof ValueLayout value) {
      return value.carrier();
    }
    return LayoutTable.isBytes(layout) ? byte[].class : null;
  }

  private IllegalArgumentException unknown(String what, String path) {
    return new IllegalArgumentException(
        "path must name a " + what + ": path=" + path + ", known=" + table.paths());
  }

  private static long addPadding(List<MemoryLayout> members, long offset, long alignment) {
    long paddingBytes = -offset & (alignment - 1);
    if (paddingBytes > 0) {
      members.add(MemoryLayout.paddingLayout(paddingBytes));
    }
    return offset + paddingBytes;
  }

  /**
   * One field of a record, or with an open index the same field of all elements. Made by {@link
   * RecordLayout#field}; one made by hand is checked to lie within its layout.
   *
   * @param layout whose field it is
   * @param path its name within the layout
   * @param offset bytes from the start of the record, for the first element if the index is open
   * @param sizeBytes the size of one element
   * @param type a primitive type, or {@code byte[]} for text and raw bytes
   * @param swapped whether its byte order is not the machine's
   * @param stride bytes from one element to the next, or 0 if no index is open
   * @param count the number of elements, or 1 if no index is open
   */
  public record Field(
      RecordLayout layout,
      String path,
      long offset,
      long sizeBytes,
      Class<?> type,
      boolean swapped,
      long stride,
      int count) {
    /**
     * Checks that the field lies within its layout.
     *
     * @throws IllegalArgumentException if it does not, or size and type contradict each other
     */
    public Field {
      Objects.requireNonNull(path, "path");
      long max = type == byte[].class ? layout.sizeBytes() : primitiveBytes(type);
      long min = type == byte[].class ? 1 : max;
      Checks.inRange("sizeBytes", sizeBytes, min, max);
      Checks.inRange("offset", offset, 0, layout.sizeBytes() - sizeBytes);
      if (stride == 0) {
        Checks.inRange("count", count, 1, 1);
      } else {
        Checks.inRange("stride", stride, sizeBytes, layout.sizeBytes());
        long lastOffset = layout.sizeBytes() - sizeBytes;
        Checks.inRange("count", count, 1, 1 + (lastOffset - offset) / stride);
      }
    }

    /** Returns the path, type, offset and repetition, in one line. */
    @Override
    public String toString() {
      String order = swapped ? ", swapped" : "";
      String repeat = stride == 0 ? "" : ", " + count + " times every " + stride + " bytes";
      return path + ": " + typeName() + " at " + offset + order + repeat;
    }

    /** Returns the type as messages call it. */
    String typeName() {
      return type == byte[].class ? "bytes" : type.toString();
    }

    private static long primitiveBytes(Class<?> type) {
      if (type == byte.class || type == boolean.class) {
        return Byte.BYTES;
      } else if (type == short.class || type == char.class) {
        return Short.BYTES;
      } else if (type == int.class || type == float.class) {
        return Integer.BYTES;
      } else if (type == long.class || type == double.class) {
        return Long.BYTES;
      }
      throw new IllegalArgumentException("type must be primitive or byte[]: type=" + type);
    }
  }
}
