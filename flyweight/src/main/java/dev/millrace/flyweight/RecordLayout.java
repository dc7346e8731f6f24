package dev.millrace.flyweight;

import dev.millrace.flyweight.internal.Checks;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * The layout of a fixed-size record in memory: the names, types and offsets of its fields.
 *
 * <p><b>Members.</b> A member is a named {@link MemoryLayout}: a struct, a primitive type, or a
 * sequence of structs, primitive types or sequences. A primitive type may have either byte order,
 * and may be aligned or unaligned. A sequence of bytes is one field that holds text or raw bytes.
 * Addresses are rejected, because a record must mean the same to another process. Unions are
 * rejected too, and so are members that no path could name. A slot is aligned to 8 bytes, so a
 * member with a larger alignment is also rejected.
 *
 * <p><b>Paths.</b> A path names a member. For example, {@code header.version} names a member of a
 * struct, and {@code levels[3].price} names a member of one element of a sequence. In {@code
 * levels[].price} the index is open, and each access supplies it. A path may have at most one open
 * index.
 *
 * <p><b>Roles.</b> A layout is immutable, so any thread may use it.
 *
 * <p><b>Failure.</b> Making a layout checks its members, and finding a field checks its path. An
 * access with a {@link Field} therefore has little left to check.
 *
 * <p><b>Cost.</b> Finding a field allocates. Keep each {@link Field} in a {@code static final}
 * field, so that its offset, type check and byte order are constants in compiled code.
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
   * Lays out members as C does. Each member starts at the next multiple of its alignment. The size
   * of the record is rounded up to a multiple of the largest alignment. You may also pass padding,
   * which stays where it is.
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
   * Makes a layout from a struct as it is, without adding any padding.
   *
   * @param struct the struct, whose own name is not part of any path
   * @return the layout
   * @throws IllegalArgumentException if a member cannot be part of a record
   */
  public static RecordLayout of(GroupLayout struct) {
    return new RecordLayout(struct);
  }

  /**
   * Returns the size of a record, including padding.
   *
   * @return the size in bytes, at least 1
   */
  public long sizeBytes() {
    return layout.byteSize();
  }

  /**
   * Returns the layout as a {@code java.lang.foreign} struct.
   *
   * @return a struct, including its padding
   */
  public GroupLayout layout() {
    return layout;
  }

  /**
   * Finds a field.
   *
   * @param path the field's path, as described above
   * @return the field, for the accessors of a {@link Flyweight} of this layout
   * @throws IllegalArgumentException if the path names no field, or has more than one open index
   */
  public Field field(String path) {
    FieldAt field = table.find(this, path);
    if (field == null || field.type() == null) {
      throw unknown("field", path);
    }
    return field;
  }

  /**
   * Returns the offset of a field, struct or sequence, for code that accesses the memory directly.
   *
   * @param path the member's path, as described above, without an open index
   * @return bytes from the start of the record
   * @throws IllegalArgumentException if the path names no member, or has an open index
   */
  public long offsetOf(String path) {
    FieldAt member = table.find(this, path);
    if (member == null) {
      throw unknown("member", path);
    }
    if (member.stride() != 0) {
      throw new IllegalArgumentException(
          "path must have no open index: path=" + Checks.shown(path));
    }
    return member.offset();
  }

  /**
   * Returns whether both layouts have the same names, types, byte orders, alignments and padding.
   */
  @Override
  public boolean equals(Object other) {
    return other instanceof RecordLayout that && layout.equals(that.layout);
  }

  @Override
  public int hashCode() {
    return layout.hashCode();
  }

  /** Returns the layout as the JDK prints it, including padding. */
  @Override
  public String toString() {
    return layout.toString();
  }

  private IllegalArgumentException unknown(String what, String path) {
    return new IllegalArgumentException(
        "path must name a "
            + what
            + ": path="
            + Checks.shown(path)
            + ", known="
            + Checks.shownEach(table.paths()));
  }

  private static long addPadding(List<MemoryLayout> members, long offset, long alignment) {
    long paddingBytes = -offset & (alignment - 1);
    if (paddingBytes > 0) {
      members.add(MemoryLayout.paddingLayout(paddingBytes));
    }
    return offset + paddingBytes;
  }

  /**
   * A field of a record, or the same field of all elements of a sequence if the path has an open
   * index. Find a field once with {@link RecordLayout#field} and pass it to the accessors of a
   * {@link Flyweight}. {@code toString} returns the field's path, type and offset. For a path with
   * an open index, the string also has the number of elements and the distance between them.
   */
  public sealed interface Field permits FieldAt {}
}
