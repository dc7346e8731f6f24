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
 * How values of some type T lie in memory: those of a field, a component or a whole record. The
 * handles are composed of accessors and the layouts' variable handles, so that nothing stands
 * between a constant handle and straight-line code. {@link PartWriter} makes writers.
 *
 * @param reader {@code (MemorySegment, long)T}
 * @param stored the values that are stored of a T
 */
public record Part(MemoryLayout layout, MethodHandle reader, List<Stored> stored) {
  /**
   * A value that is stored of a T.
   *
   * @param getter {@code (T)P}: reads and checks it; null if it is the T itself
   * @param offset where it is stored, from the T on
   * @param part how a P is stored; null if by {@code store}
   * @param store {@code (MemorySegment, long, P)void}, which cannot fail
   * @param fits {@code (P)boolean}: whether it can be stored; null if it always can
   * @param isVariant whether it is stored only if the getter's value is not null: of all variants
   *     of a T, which are stored at the same place, one is not
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

    /** The same, but what does not fit is refused. */
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
    // a view may be moved anywhere; on machines that can, it is the same instruction
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

  /** Text that may not fit. */
  static Part ofShortText(Text text) {
    return ofChecked(
        layoutOf(text),
        GET_TEXT.bindTo(text),
        PUT_TEXT
            .bindTo(text)
            .asType(PUT_TEXT.type().dropParameterTypes(0, 1).changeParameterType(2, String.class)),
        FITS_TEXT.bindTo(text).asType(MethodType.methodType(boolean.class, String.class)));
  }

  /** Text that is cut to what fits. */
  static Part ofCutText(Text text) {
    Part part = ofShortText(text);
    return new Part(
        part.layout, part.reader, List.of(new Stored(CUT_TEXT.bindTo(text), 0, part, null, null)));
  }

  /** The same, but values that do not fit are refused. */
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

  /** A value that may not fit; {@code fits} is {@code (T)boolean}, true for null. */
  static Part ofChecked(
      MemoryLayout layout, MethodHandle reader, MethodHandle store, MethodHandle fits) {
    return new Part(layout, reader, List.of(new Stored(null, 0, null, store, fits)));
  }

  /** The same, but it may not fit. */
  Part checkedBy(MethodHandle fits) {
    return new Part(layout, reader, List.of(new Stored(null, 0, this, null, fits)));
  }

  /** Whether there are values that do not fit. */
  boolean mayNotFit() {
    return stored.stream()
        .anyMatch(one -> one.fits != null || (one.part != null && one.part.mayNotFit()));
  }

  private static Part of(
      MemoryLayout layout, MethodHandle reader, MethodHandle getter, MethodHandle store) {
    return new Part(layout, reader, List.of(new Stored(getter, 0, null, store, null)));
  }

  /** A type S that is stored as a T; {@code to} is {@code (S)T}, {@code from} is {@code (T)S}. */
  Part mapped(MethodHandle to, MethodHandle from) {
    return new Part(
        layout,
        MethodHandles.filterReturnValue(reader, from),
        List.of(new Stored(to, 0, this, null, null)));
  }

  /**
   * A type of several parts, given in order: their names, their getters, {@code (T)P} each, and how
   * they are stored. {@code reader} makes the handle that reads a T of those that read the parts,
   * {@code (MemorySegment, long)P} each.
   */
  static Part composed(
      List<String> names,
      List<MethodHandle> getters,
      List<Part> parts,
      Function<List<MethodHandle>, MethodHandle> reader) {
    return composed(names, getters, Collections.nCopies(names.size(), null), parts, reader);
  }

  /**
   * The same where parts may not fit; {@code fits} has a {@code (P)boolean} for each part, null if
   * it always does.
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
   * A type T that may have no value; a byte says whether there is one.
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
   * A type of which nothing is stored, because all its values are equal; {@code maker} is {@code
   * ()T}.
   */
  static Part ofNothing(MethodHandle maker) {
    return new Part(
        ValueLayout.JAVA_BYTE,
        MethodHandles.dropArguments(maker, 0, MemorySegment.class, long.class),
        List.of());
  }

  // ---- how handles are composed ----

  /**
   * Makes an access of the same type, {@code (X, long, ...)R}, that adds bytes to the offset given.
   */
  public static MethodHandle at(long offset, MethodHandle access) {
    return offset == 0
        ? access
        : MethodHandles.filterArguments(access, 1, MethodHandles.insertArguments(SUM, 1, offset));
  }

  /** Fills in the arguments of a constructor; the result is {@code (MemorySegment, long)T}. */
  static MethodHandle made(MethodHandle maker, List<MethodHandle> readers) {
    int count = readers.size();
    MethodHandle made = MethodHandles.dropArguments(maker, count, MemorySegment.class, long.class);
    for (int i = count - 1; i >= 0; i--) { // the first is read first
      made = MethodHandles.foldArguments(made, i, readers.get(i));
    }
    return made;
  }

  /** A method of this package, or a public one; one that is not static takes its object first. */
  static MethodHandle handle(Class<?> owner, String name, Class<?>... parameters) {
    return handle(LOOKUP, owner, name, parameters);
  }

  /** A method that a lookup sees; one that is not static takes its object first. */
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
