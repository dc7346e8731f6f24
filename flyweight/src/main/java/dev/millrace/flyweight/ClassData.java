package dev.millrace.flyweight;

import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;

/** The constants of a hidden class while it is written, and the code that uses them. */
final class ClassData {
  private final List<Object> constants = new ArrayList<>();

  /** Pushes a constant of a type that the class can see; after a handle, its arguments follow. */
  void push(CodeBuilder code, Class<?> type, Object value) {
    constants.add(value);
    code.ldc(
        DynamicConstantDesc.ofNamed(
            ConstantDescs.ofConstantBootstrap(
                desc(MethodHandles.class),
                "classDataAt",
                ConstantDescs.CD_Object,
                ConstantDescs.CD_int),
            ConstantDescs.DEFAULT_NAME,
            desc(type),
            constants.size() - 1));
  }

  /** Calls the handle that lies below its arguments. */
  static void invoke(CodeBuilder code, MethodHandle handle) {
    code.invokevirtual(desc(MethodHandle.class), "invokeExact", desc(handle.type()));
  }

  /** Defines the class with its constants. */
  MethodHandles.Lookup define(MethodHandles.Lookup lookup, byte[] bytes)
      throws IllegalAccessException {
    return lookup.defineHiddenClassWithClassData(bytes, List.copyOf(constants), true);
  }

  static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  static MethodTypeDesc desc(MethodType type) {
    return type.describeConstable().orElseThrow();
  }
}
