package dev.millrace.flyweight;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.flyweight.internal.Text;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Where and what a field is. A record, whose finals the just-in-time compiler trusts: with a
 * constant field, offset, type check and byte order become constants in the code.
 *
 * @param layout the layout that the field belongs to
 * @param path its name within the layout
 * @param offset bytes from the start of the record; of the first element if the index is open
 * @param type a primitive type, or {@code byte[]} for text and raw bytes; null for a struct or a
 *     sequence, which is no field
 * @param access how it is accessed, whether or not it is aligned; null if it is not primitive. A
 *     layout may be packed; on machines that can, an unaligned access is the same instruction
 * @param stride bytes from one element to the next, or 0 if no index is open
 * @param count the number of elements, or 1 if no index is open
 * @param text its bytes as UTF-8 text, or null if it is primitive
 */
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
  /** Returns where an element is in a record. */
  long elementAt(long record, int index) {
    if (index < 0 || index >= count) {
      throw new IndexOutOfBoundsException(
          "index of " + Checks.shown(path) + " must be in 0.." + (count - 1) + ": index=" + index);
    }
    return record + offset + index * stride;
  }

  /** Returns the path, type, offset and repetition, in one line. */
  @Override
  public String toString() {
    String order = access != null && isSwapped(access) ? ", swapped" : "";
    String repeat = stride == 0 ? "" : ", " + count + " times every " + stride + " bytes";
    return Checks.shown(path) + ": " + nameOf(type) + " at " + offset + order + repeat;
  }

  /** Returns whether a byte order matters and is not the machine's. */
  static boolean isSwapped(ValueLayout layout) {
    return layout.byteSize() > 1 && layout.order() != ByteOrder.nativeOrder();
  }

  /** Returns a type as messages call it. */
  static String nameOf(Class<?> type) {
    return type == byte[].class ? "bytes" : type.toString();
  }
}
