package dev.millrace.simulator;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;

/**
 * Links woven code to the simulation. For the woven classes alone: it is public because they call
 * it.
 */
public final class Linker {
  /*
   * An invokedynamic that the weaver has put in place of an access has the access's name and type.
   * It becomes a call that finds the location and then performs the Access on it.
   */
  private static final MethodHandles.Lookup OWN = MethodHandles.lookup();
  private static final MethodHandle LOCATE_MEMORY;
  private static final MethodHandle LOCATE_ELEMENT;
  private static final MethodHandle LOCATE_SEGMENT;
  private static final MethodHandle LOCATE_FIELD;
  private static final MethodHandle LOCATE_HELD;

  static {
    try {
      LOCATE_MEMORY =
          OWN.findVirtual(
              Access.class,
              "locate",
              MethodType.methodType(
                  Location.class, VarHandle.class, MemorySegment.class, long.class));
      LOCATE_ELEMENT =
          OWN.findVirtual(
              Access.class,
              "locate",
              MethodType.methodType(Location.class, VarHandle.class, Object[].class, int.class));
      LOCATE_SEGMENT =
          OWN.findVirtual(
              Access.class,
              "locate",
              MethodType.methodType(
                  Location.class, MemorySegment.class, ValueLayout.class, long.class));
      LOCATE_FIELD =
          OWN.findVirtual(
              Access.class,
              "locate",
              MethodType.methodType(Location.class, VarHandle.class, Object.class));
      LOCATE_HELD =
          OWN.findVirtual(
              Access.class,
              "locate",
              MethodType.methodType(Location.class, VarHandle.class, Object.class, Object.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private Linker() {}

  /**
   * Links an access through a {@link VarHandle}.
   *
   * @param lookup of the woven class
   * @param name of the access mode's method
   * @param type the handle, its coordinates, the values
   * @param speculative 1 if reads are validated afterwards, else 0
   * @return what performs the access
   * @throws ReflectiveOperationException never
   */
  public static CallSite handle(
      MethodHandles.Lookup lookup, String name, MethodType type, int speculative)
      throws ReflectiveOperationException {
    boolean inMemory = type.parameterType(1) == MemorySegment.class;
    boolean inArray = type.parameterType(1).isArray();
    int coordinates = inMemory || inArray ? 2 : 1;
    boolean hasValue = type.parameterCount() > 1 + coordinates;
    Class<?> valueType = hasValue ? type.lastParameterType() : type.returnType();
    Access access = new Access(name, speculative != 0, valueType, true);
    MethodHandle locate = inMemory ? LOCATE_MEMORY : inArray ? LOCATE_ELEMENT : LOCATE_FIELD;
    MethodHandle operation = operation(access);
    if (valueType == double.class || valueType == float.class) {
      operation = asBits(operation, valueType); // plain: others the weaver refuses
    }
    MethodHandle target = MethodHandles.collectArguments(operation, 0, locate.bindTo(access));
    return new ConstantCallSite(MethodHandles.explicitCastArguments(target, type));
  }

  /**
   * Links a plain or volatile access to a field.
   *
   * @param lookup of the woven class
   * @param name {@code get} or {@code set}, {@code getVolatile} or {@code setVolatile}
   * @param type the owner and, to set it, the value
   * @param field the field's name
   * @param keepsHistory 1 if there may be a handle of the field, else 0
   * @return what performs the access
   * @throws ReflectiveOperationException if there is no such field
   */
  public static CallSite field(
      MethodHandles.Lookup lookup, String name, MethodType type, String field, int keepsHistory)
      throws ReflectiveOperationException {
    VarHandle companion =
        lookup.findVarHandle(type.parameterType(0), Access.COMPANION + field, Object.class);
    Class<?> valueType = type.parameterCount() > 1 ? type.lastParameterType() : type.returnType();
    Access access = new Access(name, false, valueType, keepsHistory != 0);
    MethodHandle held =
        companion
            .toMethodHandle(VarHandle.AccessMode.GET)
            .asType(MethodType.methodType(Object.class, Object.class));
    MethodHandle locate =
        MethodHandles.foldArguments(
            MethodHandles.insertArguments(LOCATE_HELD, 0, access, companion), held);
    MethodHandle target = operation(access);
    if (valueType == double.class || valueType == float.class) {
      target = asBits(target, valueType);
    }
    target = MethodHandles.collectArguments(target, 0, locate);
    return new ConstantCallSite(MethodHandles.explicitCastArguments(target, type));
  }

  /**
   * Links {@code MemorySegment.get} and {@code set}.
   *
   * @param lookup of the woven class
   * @param name {@code get} or {@code set}
   * @param type the segment, a value layout, the offset and, to set it, the value
   * @param speculative 1 if reads are validated afterwards, else 0
   * @return what performs the access
   * @throws ReflectiveOperationException never
   */
  public static CallSite segment(
      MethodHandles.Lookup lookup, String name, MethodType type, int speculative)
      throws ReflectiveOperationException {
    Class<?> valueType = type.parameterCount() > 3 ? type.lastParameterType() : type.returnType();
    Access access = new Access(name, speculative != 0, valueType, true);
    MethodHandle target = operation(access);
    if (valueType == double.class || valueType == float.class) {
      target = asBits(target, valueType);
    }
    target = MethodHandles.collectArguments(target, 0, LOCATE_SEGMENT.bindTo(access));
    return new ConstantCallSite(MethodHandles.explicitCastArguments(target, type));
  }

  /**
   * Links a call of what the simulator does instead of an instruction or a method.
   *
   * @param lookup of the woven class
   * @param name the hook's name
   * @param type its parameters and result
   * @return the hook
   * @throws ReflectiveOperationException never
   */
  public static CallSite hook(MethodHandles.Lookup lookup, String name, MethodType type)
      throws ReflectiveOperationException {
    return new ConstantCallSite(OWN.findStatic(Hooks.class, name, type));
  }

  private static MethodHandle asBits(MethodHandle target, Class<?> type)
      throws ReflectiveOperationException {
    MethodHandles.Lookup lookup = MethodHandles.publicLookup();
    Class<?> box = type == double.class ? Double.class : Float.class;
    Class<?> bits = type == double.class ? long.class : int.class;
    String name = type == double.class ? "Double" : "Float";
    if (target.type().returnType() == void.class) {
      String toBits = type == double.class ? "doubleToRawLongBits" : "floatToRawIntBits";
      MethodHandle convert = lookup.findStatic(box, toBits, MethodType.methodType(bits, type));
      return MethodHandles.filterArguments(
          target, 1, convert.asType(MethodType.methodType(long.class, type)));
    }
    String fromBits = (type == double.class ? "longBitsTo" : "intBitsTo") + name;
    MethodHandle convert = lookup.findStatic(box, fromBits, MethodType.methodType(type, bits));
    return MethodHandles.filterReturnValue(
        target,
        MethodHandles.explicitCastArguments(convert, MethodType.methodType(type, long.class)));
  }

  private static MethodHandle operation(Access access) throws ReflectiveOperationException {
    String name = access.kind();
    boolean reference = !access.valueType().isPrimitive();
    Class<?> value = reference ? Object.class : long.class;
    MethodType type =
        switch (name) {
          case "load" -> MethodType.methodType(value, Location.class);
          case "store" -> MethodType.methodType(void.class, Location.class, value);
          case "compareAndSet" ->
              MethodType.methodType(boolean.class, Location.class, value, value);
          case "compareAndExchange" -> MethodType.methodType(value, Location.class, value, value);
          default -> MethodType.methodType(value, Location.class, value);
        };
    return OWN.findVirtual(Access.class, reference ? name + "Reference" : name, type)
        .bindTo(access);
  }
}
