package dev.millrace.flyweight;

/**
 * Where and what a field is. A record, whose finals the just-in-time compiler trusts: with a
 * constant field, offset, type check and byte order become constants in the code.
 *
 * @param layout the layout that the field belongs to
 * @param path its name within the layout
 * @param offset bytes from the start of the record; of the first element if the index is open
 * @param sizeBytes the size of one element
 * @param type a primitive type, or {@code byte[]} for text and raw bytes; null for a struct or a
 *     sequence, which is no field
 * @param isSwapped whether its byte order is not the machine's
 * @param stride bytes from one element to the next, or 0 if no index is open
 * @param count the number of elements, or 1 if no index is open
 * @param text its bytes as UTF-8 text, or null if it is primitive
 */
record FieldAt(
    RecordLayout layout,
    String path,
    long offset,
    long sizeBytes,
    Class<?> type,
    boolean isSwapped,
    long stride,
    int count,
    Text text)
    implements RecordLayout.Field {
  /** Returns the path, type, offset and repetition, in one line. */
  @Override
  public String toString() {
    String order = isSwapped ? ", swapped" : "";
    String repeat = stride == 0 ? "" : ", " + count + " times every " + stride + " bytes";
    return path + ": " + nameOf(type) + " at " + offset + order + repeat;
  }

  /** Returns a type as messages call it. */
  static String nameOf(Class<?> type) {
    return type == byte[].class ? "bytes" : type.toString();
  }
}
