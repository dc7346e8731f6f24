package dev.millrace.flyweight.internal;

import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.invoke.VarHandle.AccessMode;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Describes how values of a type T lie in memory. T is the type of a field, a component or a whole
 * record. The handles are composed of accessors and the layouts' variable handles, so the JIT
 * compiler can turn a constant handle into straight-line code. {@link PartWriter} makes the
 * writers.
 *
 * @param reader the handle {@code (MemorySegment, long)T} that reads a T
 * @param stored the values that are stored for a T
 */
public record Part(MemoryLayout layout, MethodHandle reader, List<Stored> stored) {
  /**
   * A value that is stored for a T.
   *
   * @param getter the handle {@code (T)P} that reads and checks the value; null if the value is the
   *     T itself
   * @param offset the offset of the value from the start of the T
   * @param part how a P is stored; null if {@code store} stores it
   * @param store the handle {@code (MemorySegment, long, P)void} that stores a P and cannot fail;
   *     null if there is a {@code part}
   * @param fits the handle {@code (P)boolean} that says whether a P can be stored; null if it
   *     always can
   * @param isVariant whether the value is stored only if it is not null; all variants of a T have
   *     the same place, and exactly one of them is not null
   */
  public record Stored(
      MethodHandle getter,
      long offset,
      Part part,
      MethodHandle store,
      MethodHandle fits,
      boolean isVariant) {
    Stored(MethodHandle getter, long offset, Part part, MethodHandle store, MethodHandle fits) {
      this(getter, offset, part, store, fits, false);
    }

    /** Returns the same with a getter that refuses values that do not fit. */
    private Stored strict(MemoryLayout layout, String path) {
      Part strict = part == null ? null : part.strict(path);
      if (fits == null) {
        return new Stored(getter, offset, strict, store, null, isVariant);
      }
      MethodHandle misfit = MethodHandles.insertArguments(MISFIT, 0, layout.byteSize(), path);
      Class<?> type = fits.type().parameterType(0);
      MethodHandle refusal =
          MethodHandles.filterReturnValue(
              misfit.asType(misfit.type().changeParameterType(0, type)),
              MethodHandles.throwException(type, IllegalArgumentException.class));
      MethodHandle checked =
          MethodHandles.guardWithTest(fits, MethodHandles.identity(type), refusal);
      MethodHandle its =
          getter == null ? checked : MethodHandles.filterReturnValue(getter, checked);
      return new Stored(its, offset, strict, store, null, isVariant);
    }
  }

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
    // a view may be at any address; on machines that allow this, the instruction is the same
    VarHandle access = layout.withByteAlignment(1).varHandle();
    return of(
        layout, access.toMethodHandle(AccessMode.GET), null, access.toMethodHandle(AccessMode.SET));
  }

  static Part ofText(Text text) {
    return of(
        layoutOf(text), GET_TEXT.bindTo(text), CHECKED_TEXT.bindTo(text), PUT_TEXT.bindTo(text));
  }

  private static MemoryLayout layoutOf(Text text) {
    return MemoryLayout.sequenceLayout(text.sizeBytes(), ValueLayout.JAVA_BYTE);
  }

  /** Makes the part for text that may not fit. */
  static Part ofShortText(Text text) {
    return ofChecked(
        layoutOf(text),
        GET_TEXT.bindTo(text),
        PUT_TEXT
            .bindTo(text)
            .asType(PUT_TEXT.type().dropParameterTypes(0, 1).changeParameterType(2, String.class)),
        FITS_TEXT.bindTo(text).asType(MethodType.methodType(boolean.class, String.class)));
  }

  /** Makes the part for text that is cut to what fits. */
  static Part ofCutText(Text text) {
    Part part = ofShortText(text);
    return new Part(
        part.layout, part.reader, List.of(new Stored(CUT_TEXT.bindTo(text), 0, part, null, null)));
  }

  /** Returns a part that does the same but refuses values that do not fit. */
  Part strict(String path) {
    return new Part(layout, reader, stored.stream().map(one -> one.strict(layout, path)).toList());
  }

  static IllegalArgumentException misfit(long sizeBytes, String path, Object value) {
    String shown =
        value.getClass().isArray()
            ? value.getClass().componentType() + "[" + Array.getLength(value) + "]"
            : Checks.shown(value.toString());
    return new IllegalArgumentException(
        path + " must fit into " + sizeBytes + " bytes: " + path + "=" + shown);
  }

  /**
   * Makes the part for a value that may not fit. {@code fits} is {@code (T)boolean}, and true for
   * null.
   */
  static Part ofChecked(
      MemoryLayout layout, MethodHandle reader, MethodHandle store, MethodHandle fits) {
    return new Part(layout, reader, List.of(new Stored(null, 0, null, store, fits)));
  }

  /** Returns the same part for values that may not fit. {@code fits} is {@code (T)boolean}. */
  Part checkedBy(MethodHandle fits) {
    return new Part(layout, reader, List.of(new Stored(null, 0, this, null, fits)));
  }

  /** Returns whether there are values that do not fit. */
  boolean mayNotFit() {
    return stored.stream()
        .anyMatch(one -> one.fits != null || (one.part != null && one.part.mayNotFit()));
  }

  private static Part of(
      MemoryLayout layout, MethodHandle reader, MethodHandle getter, MethodHandle store) {
    return new Part(layout, reader, List.of(new Stored(getter, 0, null, store, null)));
  }

  /**
   * Returns the part for a type S that is stored as a T. {@code to} is {@code (S)T}, and {@code
   * from} is {@code (T)S}.
   */
  Part mapped(MethodHandle to, MethodHandle from) {
    return new Part(
        layout,
        MethodHandles.filterReturnValue(reader, from),
        List.of(new Stored(to, 0, this, null, null)));
  }

  /**
   * Makes the part for a type T that consists of several parts. For each of them in order, the
   * lists hold its name, its getter, {@code (T)P}, and how it is stored. {@code reader} is given
   * the handles that read the parts, {@code (MemorySegment, long)P} each, and returns the handle
   * that reads a T.
   */
  static Part composed(
      List<String> names,
      List<MethodHandle> getters,
      List<Part> parts,
      Function<List<MethodHandle>, MethodHandle> reader) {
    return composed(names, getters, Collections.nCopies(names.size(), null), parts, reader);
  }

  /**
   * Does the same for parts that may not fit. {@code fits} has a {@code (P)boolean} for each part,
   * or null if the part always fits.
   */
  static Part composed(
      List<String> names,
      List<MethodHandle> getters,
      List<MethodHandle> fits,
      List<Part> parts,
      Function<List<MethodHandle>, MethodHandle> reader) {
    RecordLayout layout =
        RecordLayout.of(
            IntStream.range(0, names.size())
                .mapToObj(i -> parts.get(i).layout.withName(names.get(i)))
                .toArray(MemoryLayout[]::new));
    List<MethodHandle> readers = new ArrayList<>();
    List<Stored> stored = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      long offset = layout.offsetOf(names.get(i));
      readers.add(at(offset, parts.get(i).reader));
      stored.add(new Stored(getters.get(i), offset, parts.get(i), null, fits.get(i)));
    }
    return new Part(layout.layout(), reader.apply(readers), stored);
  }

  /**
   * Makes the part for a type T that may have no value. A byte says whether there is one.
   *
   * <ul>
   *   <li>{@code isPresent} is {@code (T)boolean}.
   *   <li>{@code getter} is {@code (T)V}, which returns null, or the zero of a primitive V, if
   *       there is no value.
   *   <li>{@code some} is {@code (V)T}, {@code none} is {@code ()T}.
   * </ul>
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

  /**
   * Makes the part for a type whose values are all equal, so that nothing need be stored. {@code
   * maker} is {@code ()T}.
   */
  static Part ofNothing(MethodHandle maker) {
    return new Part(
        ValueLayout.JAVA_BYTE,
        MethodHandles.dropArguments(maker, 0, MemorySegment.class, long.class),
        List.of());
  }

  // ---- how handles are composed ----

  /**
   * Returns a handle of the same type as {@code access}, {@code (X, long, ...)R}, that adds {@code
   * offset} to its second argument and calls {@code access}.
   */
  public static MethodHandle at(long offset, MethodHandle access) {
    return offset == 0
        ? access
        : MethodHandles.filterArguments(access, 1, MethodHandles.insertArguments(SUM, 1, offset));
  }

  /**
   * Returns a handle {@code (MemorySegment, long)T} that calls {@code maker} with what {@code
   * readers} return.
   */
  static MethodHandle made(MethodHandle maker, List<MethodHandle> readers) {
    int count = readers.size();
    MethodHandle made = MethodHandles.dropArguments(maker, count, MemorySegment.class, long.class);
    for (int i = count - 1; i >= 0; i--) { // the first is read first
      made = MethodHandles.foldArguments(made, i, readers.get(i));
    }
    return made;
  }

  /**
   * Returns a handle of a method that is in this package or public. If the method is not static,
   * its object is the first argument.
   */
  static MethodHandle handle(Class<?> owner, String name, Class<?>... parameters) {
    return handle(LOOKUP, owner, name, parameters);
  }

  /**
   * Returns a handle of a method that {@code lookup} can see. If the method is not static, its
   * object is the first argument.
   */
  public static MethodHandle handle(
      MethodHandles.Lookup lookup, Class<?> owner, String name, Class<?>... parameters) {
    try {
      return lookup.unreflect(owner.getDeclaredMethod(name, parameters));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("method must be there: method=" + name, e);
    }
  }

  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  private static final MethodHandle SUM = handle(Long.class, "sum", long.class, long.class);

  private static final MethodHandle GET_TEXT =
      handle(Text.class, "get", MemorySegment.class, long.class);
  private static final MethodHandle CHECKED_TEXT =
      handle(Text.class, "checked", CharSequence.class);
  private static final MethodHandle CUT_TEXT = handle(Text.class, "cut", String.class);
  private static final MethodHandle MISFIT =
      handle(Part.class, "misfit", long.class, String.class, Object.class);
  private static final MethodHandle FITS_TEXT = handle(Text.class, "fits", CharSequence.class);
  private static final MethodHandle PUT_TEXT =
      handle(Text.class, "put", MemorySegment.class, long.class, CharSequence.class);
}
