package dev.millrace.flyweight;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Writes a class whose methods call handles, which are its constants. */
final class ClassWriter {
  private final ClassDesc name;
  private final List<Consumer<ClassBuilder>> members = new ArrayList<>();
  private final List<Object> constants = new ArrayList<>();

  /**
   * Begins a class.
   *
   * @param lookup of a class in its package
   */
  ClassWriter(MethodHandles.Lookup lookup, String simpleName) {
    this.name = ClassDesc.of(lookup.lookupClass().getPackageName(), simpleName);
  }

  ClassWriter extending(Class<?> superclass, Class<?> implemented) {
    members.add(
        builder ->
            builder.withSuperclass(desc(superclass)).withInterfaceSymbols(desc(implemented)));
    return this;
  }

  /** Adds a method; its body may be written twice, if jumps are far. */
  ClassWriter method(int flags, String name, MethodType type, Consumer<CodeBuilder> body) {
    members.add(builder -> builder.withMethodBody(name, desc(type), flags, body));
    return this;
  }

  byte[] bytes() {
    return ClassFile.of()
        .build(
            name,
            builder -> {
              builder.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER);
              members.forEach(member -> member.accept(builder));
            });
  }

  /** Defines the class as a hidden one, with its constants. */
  MethodHandles.Lookup define(MethodHandles.Lookup lookup) throws IllegalAccessException {
    return lookup.defineHiddenClassWithClassData(bytes(), List.copyOf(constants), true);
  }

  // ---- code ----

  /** Pushes a constant of a type that the class can see. */
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

  /** Calls a handle with local variables. */
  void call(CodeBuilder code, MethodHandle handle, int... slots) {
    push(code, MethodHandle.class, handle);
    for (int i = 0; i < slots.length; i++) {
      code.loadLocal(TypeKind.from(handle.type().parameterType(i)), slots[i]);
    }
    code.invokevirtual(desc(MethodHandle.class), "invokeExact", desc(handle.type()));
  }

  static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  static MethodTypeDesc desc(MethodType type) {
    return type.describeConstable().orElseThrow();
  }
}
