package dev.millrace.flyweight;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle.AccessMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A component, or the record as a whole, of some type T. The handles are composed of accessors and
 * the layouts' variable handles, so that nothing stands between a constant handle and straight-line
 * code.
 *
 * @param layout what it looks like
 * @param reader {@code (MemorySegment, long)T}
 * @param values a T as the values that are stored
 */
record Part(MemoryLayout layout, MethodHandle reader, RecordValues values) {
  static final Map<Class<?>, ValueLayout> PRIMITIVES =
      Map.of(
          byte.class, ValueLayout.JAVA_BYTE,
          boolean.class, ValueLayout.JAVA_BOOLEAN,
          short.class, ValueLayout.JAVA_SHORT,
          char.class, ValueLayout.JAVA_CHAR,
          int.class, ValueLayout.JAVA_INT,
          float.class, ValueLayout.JAVA_FLOAT,
          long.class, ValueLayout.JAVA_LONG,
          double.class, ValueLayout.JAVA_DOUBLE);

  static Part ofPrimitive(Class<?> type) {
    ValueLayout layout = PRIMITIVES.get(type);
    return new Part(
        layout,
        layout.varHandle().toMethodHandle(AccessMode.GET),
        RecordValues.ofOne(layout.varHandle().toMethodHandle(AccessMode.SET)));
  }

  /** Text, by {@link AsciiText} or {@link Utf8Text}, which messages call {@code name}. */
  static Part ofText(Class<?> code, int sizeBytes, String name) {
    MethodHandle getter =
        own(code, "get", String.class, MemorySegment.class, long.class, int.class);
    MethodHandle setter =
        own(
            code,
            "put",
            void.class,
            MemorySegment.class,
            long.class,
            int.class,
            String.class,
            CharSequence.class);
    return new Part(
        MemoryLayout.sequenceLayout(sizeBytes, ValueLayout.JAVA_BYTE),
        MethodHandles.insertArguments(getter, 2, sizeBytes),
        RecordValues.ofOne(MethodHandles.insertArguments(setter, 2, sizeBytes, name)));
  }

  /**
   * A type that is stored as this one.
   *
   * @param to {@code (S)T}
   * @param from {@code (T)S}
   */
  Part mapped(MethodHandle to, MethodHandle from) {
    return new Part(layout, MethodHandles.filterReturnValue(reader, from), values.of(to));
  }

  /**
   * A type of several parts.
   *
   * @param names of the parts
   * @param getters what reads them: {@code (T)P} each
   * @param parts what they are
   * @param reader makes the handle that reads a T of those that read the parts, {@code
   *     (MemorySegment, long)P} each
   */
  static Part composed(
      List<String> names,
      List<MethodHandle> getters,
      List<Part> parts,
      Function<List<MethodHandle>, MethodHandle> reader) {
    RecordLayout layout =
        RecordLayout.of(
            IntStream.range(0, names.size())
                .mapToObj(i -> parts.get(i).layout.withName(names.get(i)))
                .toArray(MemoryLayout[]::new));
    List<MethodHandle> readers = new ArrayList<>();
    List<RecordValues> values = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      long offset = layout.offsetOf(names.get(i));
      readers.add(at(offset, parts.get(i).reader));
      values.add(parts.get(i).values.of(getters.get(i)).at(offset));
    }
    return new Part(
        layout.layout(),
        reader.apply(readers),
        RecordValues.ofAll(getters.getFirst().type().parameterType(0), values, layout.sizeBytes()));
  }

  /**
   * A type that may have no value: a byte tells whether there is one.
   *
   * @param isPresent {@code (T)boolean}
   * @param getter {@code (T)V}; null or 0 if there is none
   * @param value what a V is
   * @param some {@code (V)T}
   * @param none {@code ()T}
   */
  static Part optional(
      MethodHandle isPresent,
      MethodHandle getter,
      Part value,
      MethodHandle some,
      MethodHandle none) {
    return composed(
        List.of("present", "value"),
        List.of(isPresent, getter),
        List.of(ofPrimitive(boolean.class), value),
        readers ->
            MethodHandles.guardWithTest(
                readers.getFirst(),
                MethodHandles.filterReturnValue(readers.getLast(), some),
                MethodHandles.dropArguments(none, 0, MemorySegment.class, long.class)));
  }

  // ---- how handles are composed ----

  /** The same access, so far behind the offset given. */
  static MethodHandle at(long offset, MethodHandle access) {
    return offset == 0
        ? access
        : MethodHandles.filterArguments(access, 1, MethodHandles.insertArguments(SUM, 1, offset));
  }

  /** One after the other with the same arguments; halved, so that they do not nest deeply. */
  static MethodHandle inTurn(List<MethodHandle> steps) {
    int count = steps.size();
    if (count == 1) {
      return steps.getFirst();
    }
    MethodHandle first = inTurn(steps.subList(0, count / 2));
    MethodHandle second = inTurn(steps.subList(count / 2, count));
    return MethodHandles.foldArguments(second, first);
  }

  /**
   * Fills in the arguments of a constructor.
   *
   * @return {@code (MemorySegment, long)T}
   */
  static MethodHandle made(MethodHandle maker, List<MethodHandle> readers) {
    MethodHandle made = MethodHandles.collectArguments(maker, 0, readers.getFirst());
    for (MethodHandle reader : readers.subList(1, readers.size())) {
      MethodHandle both = MethodHandles.collectArguments(made, 2, reader);
      List<Class<?>> left = new ArrayList<>(both.type().parameterList());
      left.subList(2, 4).clear();
      int[] order =
          IntStream.range(0, both.type().parameterCount()).map(i -> i < 2 ? i : i - 2).toArray();
      made =
          MethodHandles.permuteArguments(
              both, MethodType.methodType(both.type().returnType(), left), order);
    }
    return made;
  }

  /** The same for values; for null the zero of the result's type, and empty text. */
  static MethodHandle orZero(MethodHandle getter) {
    Class<?> type = getter.type().parameterType(0);
    Class<?> result = getter.type().returnType();
    MethodHandle zero =
        result == String.class ? MethodHandles.constant(result, "") : MethodHandles.zero(result);
    return type.isPrimitive()
        ? getter
        : MethodHandles.guardWithTest(
            isPresent(type), getter, MethodHandles.dropArguments(zero, 0, type));
  }

  /** {@code (T)boolean}: whether it is not null. */
  static MethodHandle isPresent(Class<?> type) {
    return IS_PRESENT.asType(MethodType.methodType(boolean.class, type));
  }

  private static final MethodHandle SUM =
      own(Long.class, "sum", long.class, long.class, long.class);
  private static final MethodHandle IS_PRESENT =
      own(java.util.Objects.class, "nonNull", boolean.class, Object.class);

  /** A static method of this package, or a public one. */
  static MethodHandle own(Class<?> owner, String name, Class<?> result, Class<?>... arguments) {
    try {
      return MethodHandles.lookup()
          .findStatic(owner, name, MethodType.methodType(result, arguments));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("method must be there: method=" + name, e);
    }
  }
}
