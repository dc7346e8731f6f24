package dev.millrace.flyweight;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.flyweight.internal.Text;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.NullUnmarked;

/**
 * The place and type of a field. This is a record because the just-in-time compiler trusts the
 * finals of records. If the field is a constant, its offset, type check and byte order become
 * constants in the compiled code.
 *
 * @param layout the layout that the field belongs to
 * @param path its name within the layout
 * @param offset bytes from the start of the record to the field, or to its first element if the
 *     index is open
 * @param type a primitive type, or {@code byte[]} for text and raw bytes; null for a struct or a
 *     sequence, which is not a field
 * @param access the layout used to access a primitive field, or null for any other. It requires no
 *     alignment, because a record may be packed; where the machine supports unaligned access, it
 *     takes the same instruction
 * @param stride bytes from one element to the next, or 0 if no index is open
 * @param count the number of elements, or 1 if no index is open
 * @param text reads and writes its bytes as UTF-8 text; null if the field is primitive
 */
@NullUnmarked // which fields are null follows from the state
record FieldAt(
    RecordLayout layout,
    String path,
    long offset,
    Class<?> type,
    ValueLayout access,
    long stride,
    int count,
    Text text)
    implements RecordLayout.Field {
  /** Returns the offset of element {@code index} in the record that starts at {@code record}. */
  long elementAt(long record, int index) {
    if (index < 0 || index >= count) {
      throw new IndexOutOfBoundsException(
          "index of " + Checks.shown(path) + " must be in 0.." + (count - 1) + ": index=" + index);
    }
    return record + offset + index * stride;
  }

  /** Returns the path, type, offset and repetition in one line. */
  @Override
  public String toString() {
    String order = access != null && isSwapped(access) ? ", swapped" : "";
    String repeat = stride == 0 ? "" : ", " + count + " times every " + stride + " bytes";
    return Checks.shown(path) + ": " + nameOf(type) + " at " + offset + order + repeat;
  }

  /** Returns whether values of {@code layout} have a byte order that differs from the machine's. */
  static boolean isSwapped(ValueLayout layout) {
    return layout.byteSize() > 1 && layout.order() != ByteOrder.nativeOrder();
  }

  /** Returns the name of {@code type} as exception messages give it. */
  static String nameOf(Class<?> type) {
    return type == byte[].class ? "bytes" : type.toString();
  }
}
