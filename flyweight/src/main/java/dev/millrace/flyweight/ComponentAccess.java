package dev.millrace.flyweight;

/**
 * What the handles of a {@link Part} call beside accessors and variable handles. They come with
 * what is the same for each call first, which is bound.
 */
final class ComponentAccess {
  private ComponentAccess() {}

  static Object present(String path, Object value) {
    if (value == null) {
      throw new IllegalArgumentException("component must not be null: component=" + path);
    }
    return value;
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
