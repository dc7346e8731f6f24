package dev.millrace.flyweight.internal;

import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * Maps sealed types. A value is stored as the number of its variant, an {@code int}, and then as
 * many bytes as the largest variant takes.
 */
final class Variants {
  private static final String TAG = "variant";
  private static final String VALUE = "value";

  private Variants() {}

  /**
   * Makes the part for a sealed type from the parts of its variants. {@code path} names the
   * component in messages.
   */
  static Part of(Class<?> type, List<Class<?>> variants, List<Part> parts, String path) {
    RecordLayout layout =
        RecordLayout.of(ValueLayout.JAVA_INT.withName(TAG), largest(parts).withName(VALUE));
    long offset = layout.offsetOf(VALUE);
    List<Part.Stored> stored = new ArrayList<>();
    stored.add(tag(numberOf(type, variants)));
    List<MethodHandle> readers = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      MethodHandle getter =
          MethodHandles.guardWithTest(
              isA(variants.get(i), type),
              cast(type, variants.get(i)),
              MethodHandles.empty(MethodType.methodType(variants.get(i), type)));
      stored.add(new Part.Stored(getter, offset, parts.get(i), null, null, true));
      readers.add(
          MethodHandles.dropArguments(
              Part.at(offset, parts.get(i).reader())
                  .asType(MethodType.methodType(type, MemorySegment.class, long.class)),
              0,
              int.class));
    }
    MethodHandle unknown =
        MethodHandles.filterReturnValue(
            MethodHandles.insertArguments(UNKNOWN, 0, path, readers.size()),
            MethodHandles.throwException(type, IllegalStateException.class));
    MethodHandle reader =
        MethodHandles.foldArguments(
            MethodHandles.tableSwitch(
                MethodHandles.dropArguments(unknown, 1, MemorySegment.class, long.class),
                readers.toArray(MethodHandle[]::new)),
            Part.ofPrimitive(int.class).reader());
    return new Part(layout.layout(), reader, List.copyOf(stored));
  }

  /**
   * Returns a layout of as many bytes as the largest part takes, with the strictest alignment of
   * the parts.
   */
  private static MemoryLayout largest(List<Part> parts) {
    MemoryLayout unit =
        parts.stream()
            .map(Part::layout)
            .max(Comparator.comparingLong(MemoryLayout::byteAlignment))
            .map(layout -> UNITS.get(Long.numberOfTrailingZeros(layout.byteAlignment())))
            .orElseThrow();
    long most = parts.stream().mapToLong(part -> part.layout().byteSize()).max().orElseThrow();
    return MemoryLayout.sequenceLayout(Math.ceilDiv(most, unit.byteSize()), unit);
  }

  private static Part.Stored tag(MethodHandle getter) {
    return new Part.Stored(getter, 0, Part.ofPrimitive(int.class), null, null);
  }

  /** Returns the handle {@code (T)int} that says which variant a value is. */
  private static MethodHandle numberOf(Class<?> type, List<Class<?>> variants) {
    MethodHandle number = constant(type, variants.size() - 1);
    for (int i = variants.size() - 2; i >= 0; i--) {
      number = MethodHandles.guardWithTest(isA(variants.get(i), type), constant(type, i), number);
    }
    return number;
  }

  private static MethodHandle constant(Class<?> type, int number) {
    return MethodHandles.dropArguments(MethodHandles.constant(int.class, number), 0, type);
  }

  private static MethodHandle isA(Class<?> variant, Class<?> type) {
    return IS_INSTANCE.bindTo(variant).asType(MethodType.methodType(boolean.class, type));
  }

  private static MethodHandle cast(Class<?> type, Class<?> variant) {
    return MethodHandles.identity(variant).asType(MethodType.methodType(variant, type));
  }

  /**
   * Makes a writer that checks which variant a value is and calls the writer of that variant, which
   * stores nothing else. Returns null if the type is not sealed. {@code writer} makes a writer,
   * {@code (C, long, Object)long}, for a given part.
   */
  static MethodHandle writer(Part part, Function<Part, MethodHandle> writer) {
    List<Part.Stored> variants = part.stored().stream().filter(Part.Stored::isVariant).toList();
    MethodHandle chosen = null;
    for (int i = variants.size() - 1; i >= 0; i--) {
      Part.Stored variant = variants.get(i);
      Class<?> type = variant.getter().type().parameterType(0);
      Class<?> its = variant.getter().type().returnType();
      Part.Stored alone =
          new Part.Stored(cast(type, its), variant.offset(), variant.part(), null, null);
      MethodHandle own =
          writer.apply(
              new Part(part.layout(), part.reader(), List.of(tag(constant(type, i)), alone)));
      chosen =
          chosen == null
              ? own
              : MethodHandles.guardWithTest(
                  MethodHandles.dropArguments(
                      IS_INSTANCE.bindTo(its), 0, own.type().parameterList().subList(0, 2)),
                  own,
                  chosen);
    }
    return chosen;
  }

  static IllegalStateException unknown(String path, int variants, int number) {
    return new IllegalStateException(
        "variant must be in 0..%d: variant=%d, component=%s".formatted(variants - 1, number, path));
  }

  private static final List<ValueLayout> UNITS =
      List.of(
          ValueLayout.JAVA_BYTE,
          ValueLayout.JAVA_SHORT,
          ValueLayout.JAVA_INT,
          ValueLayout.JAVA_LONG);

  private static final MethodHandle IS_INSTANCE =
      Part.handle(Class.class, "isInstance", Object.class);
  private static final MethodHandle UNKNOWN =
      Part.handle(
          MethodHandles.lookup(), Variants.class, "unknown", String.class, int.class, int.class);
}
