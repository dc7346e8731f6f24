package dev.millrace.flyweight;

import java.lang.foreign.MemorySegment;

/**
 * What the handles of a {@link RecordMapping} call beside accessors and variable handles. They come
 * with what is the same for each call first, which the mapping binds.
 */
final class ComponentAccess {
  private ComponentAccess() {}

  static void checkPresent(String path, Object value) {
    if (value == null) {
      throw new IllegalArgumentException("component must not be null: component=" + path);
    }
  }

  static void checkFits(int sizeBytes, String path, String text) {
    checkPresent(path, text);
    Utf8Text.check(sizeBytes, path, text);
  }

  static void putText(int sizeBytes, String path, MemorySegment memory, long at, String text) {
    Utf8Text.put(memory, at, sizeBytes, path, text);
  }

  static String getText(int sizeBytes, MemorySegment memory, long at) {
    return Utf8Text.get(memory, at, sizeBytes);
  }

  @SuppressWarnings("EnumOrdinal") // what is stored, as the codec says
  static byte byteOrdinal(Enum<?> constant) {
    return (byte) constant.ordinal();
  }

  @SuppressWarnings("EnumOrdinal") // what is stored, as the codec says
  static short shortOrdinal(Enum<?> constant) {
    return (short) constant.ordinal();
  }

  static Object constant(Object[] constants, String path, byte ordinal) {
    return constant(constants, path, Byte.toUnsignedInt(ordinal));
  }

  static Object constant(Object[] constants, String path, short ordinal) {
    return constant(constants, path, Short.toUnsignedInt(ordinal));
  }

  private static Object constant(Object[] constants, String path, int ordinal) {
    if (ordinal >= constants.length) {
      throw new IllegalStateException(
          "ordinal must be in 0.."
              + (constants.length - 1)
              + ": ordinal="
              + ordinal
              + ", component="
              + path);
    }
    return constants[ordinal];
  }
}
