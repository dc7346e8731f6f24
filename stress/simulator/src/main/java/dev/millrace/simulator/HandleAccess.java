package dev.millrace.simulator;

import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/** Which calls of a {@link VarHandle}'s access methods the simulator supports. */
final class HandleAccess {
  private static final ClassDesc MEMORY_SEGMENT = ClassDesc.of(MemorySegment.class.getName());

  private static final Set<String> NAMES =
      Arrays.stream(VarHandle.AccessMode.values())
          .map(VarHandle.AccessMode::methodName)
          .collect(Collectors.toUnmodifiableSet());

  private HandleAccess() {}

  static boolean isAccess(String name) {
    return NAMES.contains(name);
  }

  /**
   * Whether a call is of a field, of memory or of an element: one owner, a segment and an offset,
   * or an array and an index; then values, which the operation must be defined for.
   */
  static boolean isSupported(String name, MethodTypeDesc type) {
    if (type.parameterCount() == 0 || type.parameterType(0).isPrimitive()) {
      return false;
    }
    ClassDesc owner = type.parameterType(0);
    boolean inMemory = owner.equals(MEMORY_SEGMENT);
    boolean inArray = owner.isArray();
    int coordinates = inMemory || inArray ? 2 : 1;
    int values = valuesOf(name);
    if (type.parameterCount() != coordinates + values) {
      return false;
    }
    ClassDesc value = values > 0 ? type.parameterType(coordinates) : type.returnType();
    if (inMemory) {
      return type.parameterType(1).equals(ConstantDescs.CD_long)
          && value.isPrimitive()
          && isDefined(name, value);
    }
    if (inArray) {
      return type.parameterType(1).equals(ConstantDescs.CD_int)
          && Supported.isOfReferences(owner.descriptorString())
          && !value.isPrimitive()
          && isDefined(name, value);
    }
    return isDefined(name, value);
  }

  private static int valuesOf(String name) {
    if (name.contains("ompareAnd")) {
      return 2;
    }
    return name.startsWith("get") && !name.startsWith("getAnd") ? 0 : 1;
  }

  /** Not of floating-point numbers, nor of nothing: a read whose result is thrown away. */
  private static boolean isDefined(String name, ClassDesc value) {
    boolean isNumber = "BSCIJ".contains(value.descriptorString());
    boolean isTruth = value.equals(ConstantDescs.CD_boolean);
    if (name.startsWith("getAndAdd")) {
      return isNumber;
    }
    return isNumber || isTruth || (!value.isPrimitive() && !name.startsWith("getAndBitwise"));
  }
}
