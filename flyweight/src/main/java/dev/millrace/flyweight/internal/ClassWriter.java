package dev.millrace.flyweight.internal;

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

/** Writes a class whose methods call method handles that are constants of the class. */
public final class ClassWriter {
  private final ClassDesc name;
  private final List<Consumer<ClassBuilder>> members = new ArrayList<>();
  private final List<Object> constants = new ArrayList<>();

  /** Begins a class in the package of the lookup's class. */
  public ClassWriter(MethodHandles.Lookup lookup, String simpleName) {
    this.name = ClassDesc.of(lookup.lookupClass().getPackageName(), simpleName);
  }

  /** Sets the superclass and the interface that the class implements; returns this. */
  public ClassWriter extending(Class<?> superclass, Class<?> implemented) {
    members.add(
        builder ->
            builder.withSuperclass(desc(superclass)).withInterfaceSymbols(desc(implemented)));
    return this;
  }

  /**
   * Adds a method and returns this. {@code body} writes the code of the method. It is called a
   * second time if a jump turns out to be too far.
   */
  public ClassWriter method(int flags, String name, MethodType type, Consumer<CodeBuilder> body) {
    members.add(builder -> builder.withMethodBody(name, desc(type), flags, body));
    return this;
  }

  /** Returns the bytes of the class file. */
  public byte[] bytes() {
    assert ClassGeneration.isOn() : name;
    return ClassFile.of()
        .build(
            name,
            builder -> {
              builder.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER);
              for (int i = 0; i < members.size(); i++) { // a method's body may add another method
                members.get(i).accept(builder);
              }
            });
  }

  /**
   * Defines the class, with its constants, as a hidden class and returns a lookup in it. {@code
   * lookup} must be in a class of the same package.
   */
  public MethodHandles.Lookup define(MethodHandles.Lookup lookup) throws IllegalAccessException {
    return lookup.defineHiddenClassWithClassData(bytes(), List.copyOf(constants), true);
  }

  // ---- code ----

  /** Pushes {@code value} as a constant of {@code type}, which the class must be able to see. */
  public void push(CodeBuilder code, Class<?> type, Object value) {
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

  /** Makes {@code handle} a constant and calls it with the local variables in {@code slots}. */
  public void call(CodeBuilder code, MethodHandle handle, int... slots) {
    push(code, MethodHandle.class, handle);
    load(code, handle.type(), slots);
    code.invokevirtual(desc(MethodHandle.class), "invokeExact", desc(handle.type()));
  }

  /** Calls a static method of this class with the local variables in {@code slots}. */
  void callOwn(CodeBuilder code, String method, MethodType type, int... slots) {
    load(code, type, slots);
    code.invokestatic(name, method, desc(type));
  }

  private static void load(CodeBuilder code, MethodType type, int... slots) {
    for (int i = 0; i < slots.length; i++) {
      code.loadLocal(TypeKind.from(type.parameterType(i)), slots[i]);
    }
  }

  /** Returns the descriptor of a type. */
  public static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  /** Returns the descriptor of a method type. */
  public static MethodTypeDesc desc(MethodType type) {
    return type.describeConstable().orElseThrow();
  }
}
