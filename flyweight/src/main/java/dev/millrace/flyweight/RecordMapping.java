package dev.millrace.flyweight;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle.AccessMode;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * How the components of a record class are laid out, checked, written and read. The handles are
 * composed of accessors and the layouts' variable handles, so that nothing stands between a
 * constant handle and straight-line code.
 *
 * @param layout what a record looks like
 * @param checker {@code (Object)void}
 * @param writer {@code (MemorySegment, long, Object)void}
 * @param reader {@code (MemorySegment, long)Object}
 * @param values the record as the values that are stored
 */
record RecordMapping(
    RecordLayout layout,
    MethodHandle checker,
    MethodHandle writer,
    MethodHandle reader,
    RecordValues values) {
  private static final int BYTE_CONSTANTS = 1 << Byte.SIZE;

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

  /**
   * A component, or the record as a whole, of some type T.
   *
   * @param layout what it looks like
   * @param checker {@code (T)void}
   * @param writer {@code (MemorySegment, long, T)void}
   * @param reader {@code (MemorySegment, long)T}
   * @param values a T as the values that are stored
   */
  record Part(
      MemoryLayout layout,
      MethodHandle checker,
      MethodHandle writer,
      MethodHandle reader,
      RecordValues values) {}

  /**
   * Maps a class.
   *
   * @param lookup sees its accessors and constructors; null for what this module may open
   * @throws IllegalArgumentException if a component cannot be mapped, or not be seen
   */
  static RecordMapping of(Class<? extends Record> type, MethodHandles.Lookup lookup) {
    Part part = new Walk(lookup).ofRecord(type, type.getSimpleName());
    return new RecordMapping(
        RecordLayout.of((GroupLayout) part.layout()),
        part.checker().asType(MethodType.methodType(void.class, Object.class)),
        part.writer()
            .asType(
                MethodType.methodType(void.class, MemorySegment.class, long.class, Object.class)),
        part.reader().asType(MethodType.methodType(Object.class, MemorySegment.class, long.class)),
        part.values());
  }

  /** A walk through a record class and those that it contains. */
  private static final class Walk {
    private final MethodHandles.Lookup lookup;
    private final List<Class<?>> containing = new ArrayList<>();

    Walk(MethodHandles.Lookup lookup) {
      this.lookup = lookup;
    }

    Part ofRecord(Class<?> type, String path) {
      if (containing.contains(type)) {
        throw refused("must not be of a record that contains it", path, type);
      }
      containing.add(type);
      RecordComponent[] components = type.getRecordComponents();
      if (components.length == 0) {
        throw new IllegalArgumentException("record must have components: record=" + type.getName());
      }
      List<Part> parts = new ArrayList<>();
      for (RecordComponent component : components) {
        parts.add(ofComponent(component, path + "." + component.getName()));
      }
      containing.removeLast();
      RecordLayout layout =
          RecordLayout.of(
              IntStream.range(0, components.length)
                  .mapToObj(i -> parts.get(i).layout().withName(components[i].getName()))
                  .toArray(MemoryLayout[]::new));
      List<MethodHandle> checkers = new ArrayList<>();
      List<MethodHandle> writers = new ArrayList<>();
      MethodHandle reader = constructor(type, components);
      List<RecordValues> values = new ArrayList<>();
      for (int i = 0; i < components.length; i++) {
        Part part = parts.get(i);
        MethodHandle accessor = accessor(components[i]);
        long offset = layout.offsetOf(components[i].getName());
        if (!components[i].getType().isPrimitive()) {
          checkers.add(MethodHandles.filterArguments(part.checker(), 0, accessor));
        }
        writers.add(MethodHandles.filterArguments(at(offset, part.writer()), 2, accessor));
        reader = withArgument(reader, i, at(offset, part.reader()));
        values.add(part.values().of(accessor).at(offset));
      }
      MethodHandle unchecked = MethodHandles.empty(MethodType.methodType(void.class, type));
      MethodHandle checker = checkers.isEmpty() ? unchecked : inTurn(checkers);
      MethodHandle writer = inTurn(writers);
      return new Part(
          layout.layout(),
          checker,
          writer,
          reader,
          RecordValues.ofRecord(type, values, writer, checker, layout.sizeBytes()));
    }

    private Part ofComponent(RecordComponent component, String path) {
      Class<?> type = component.getType();
      Utf8 text = component.getAnnotation(Utf8.class);
      if (text != null && type == String.class) {
        return ofText(text.value(), path);
      } else if (text != null) {
        throw refused("must be a String to be of Utf8", path, type);
      } else if (type.isPrimitive()) {
        return ofPrimitive(type);
      } else if (type.isEnum()) {
        return ofEnum(type, path);
      } else if (type.isRecord()) {
        Part part = ofRecord(type, path);
        MethodHandle present =
            MethodHandles.insertArguments(PRESENT, 0, path)
                .asType(MethodType.methodType(void.class, type));
        MethodHandle checker = inTurn(List.of(present, part.checker()));
        return new Part(
            part.layout(), checker, part.writer(), part.reader(), part.values().checked(present));
      }
      throw refused("must be a primitive, an enum, a record, or a String of Utf8", path, type);
    }

    private MethodHandle accessor(RecordComponent component) {
      Method method = component.getAccessor();
      try {
        if (lookup != null) {
          return lookup.unreflect(method);
        }
        method.setAccessible(true);
        return LOOKUP.unreflect(method);
      } catch (IllegalAccessException | InaccessibleObjectException e) {
        throw unseen(component.getDeclaringRecord(), e);
      }
    }

    private MethodHandle constructor(Class<?> type, RecordComponent[] components) {
      Class<?>[] types =
          Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
      try {
        Constructor<?> canonical = type.getDeclaredConstructor(types);
        if (lookup != null) {
          return lookup.unreflectConstructor(canonical);
        }
        canonical.setAccessible(true);
        return LOOKUP.unreflectConstructor(canonical);
      } catch (NoSuchMethodException e) {
        throw new AssertionError(e); // each record has it
      } catch (IllegalAccessException | InaccessibleObjectException e) {
        throw unseen(type, e);
      }
    }

    private static IllegalArgumentException unseen(Class<?> type, Exception cause) {
      return new IllegalArgumentException(
          "record must be seen by the lookup, or be open to dev.millrace.flyweight: record="
              + type.getName(),
          cause);
    }
  }

  private static Part ofPrimitive(Class<?> type) {
    ValueLayout layout = PRIMITIVES.get(type);
    MethodHandle writer = layout.varHandle().toMethodHandle(AccessMode.SET);
    return new Part(
        layout,
        MethodHandles.empty(MethodType.methodType(void.class, type)),
        writer,
        layout.varHandle().toMethodHandle(AccessMode.GET),
        RecordValues.ofOne(writer));
  }

  static Part ofEnum(Class<?> type, String path) {
    Object[] constants = type.getEnumConstants();
    boolean isByte = constants.length <= BYTE_CONSTANTS;
    Part number = ofPrimitive(isByte ? byte.class : short.class);
    MethodHandle ordinal = isByte ? BYTE_ORDINAL : SHORT_ORDINAL;
    MethodHandle constant = isByte ? BYTE_CONSTANT : SHORT_CONSTANT;
    Class<?> stored = constant.type().lastParameterType();
    MethodHandle checker =
        MethodHandles.insertArguments(PRESENT, 0, path)
            .asType(MethodType.methodType(void.class, type));
    MethodHandle ordinalOf = ordinal.asType(MethodType.methodType(stored, type));
    return new Part(
        number.layout(),
        checker,
        MethodHandles.filterArguments(number.writer(), 2, ordinalOf),
        MethodHandles.filterReturnValue(
            number.reader(),
            MethodHandles.insertArguments(constant, 0, constants, path)
                .asType(MethodType.methodType(type, stored))),
        number.values().of(ordinalOf).checked(checker));
  }

  private static Part ofText(int sizeBytes, String path) {
    if (sizeBytes < 1) {
      throw new IllegalArgumentException(
          "Utf8 must be at least 1: Utf8=" + sizeBytes + ", component=" + path);
    }
    MethodHandle checker = MethodHandles.insertArguments(FITS, 0, sizeBytes, path);
    MethodHandle writer = MethodHandles.insertArguments(PUT_TEXT, 0, sizeBytes, path);
    return new Part(
        MemoryLayout.sequenceLayout(sizeBytes, ValueLayout.JAVA_BYTE),
        checker,
        writer,
        MethodHandles.insertArguments(GET_TEXT, 0, sizeBytes),
        RecordValues.ofOne(writer).checked(checker));
  }

  private static IllegalArgumentException refused(String rule, String path, Class<?> type) {
    return new IllegalArgumentException(
        "component " + rule + ": component=" + path + ", type=" + type.getTypeName());
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
   * Fills in an argument of a constructor, whose arguments before it are filled in already: what is
   * left of those is memory and offset.
   */
  private static MethodHandle withArgument(MethodHandle maker, int index, MethodHandle reader) {
    if (index == 0) {
      return MethodHandles.collectArguments(maker, 0, reader);
    }
    MethodHandle both = MethodHandles.collectArguments(maker, 2, reader);
    List<Class<?>> left = new ArrayList<>(both.type().parameterList());
    left.subList(2, 4).clear();
    int[] order =
        IntStream.range(0, both.type().parameterCount()).map(i -> i < 2 ? i : i - 2).toArray();
    return MethodHandles.permuteArguments(
        both, MethodType.methodType(both.type().returnType(), left), order);
  }

  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  private static final MethodHandle SUM =
      own(Long.class, "sum", long.class, long.class, long.class);
  private static final MethodHandle PRESENT =
      own(ComponentAccess.class, "checkPresent", void.class, String.class, Object.class);
  private static final MethodHandle FITS =
      own(ComponentAccess.class, "checkFits", void.class, int.class, String.class, String.class);
  private static final MethodHandle PUT_TEXT =
      own(
          ComponentAccess.class,
          "putText",
          void.class,
          int.class,
          String.class,
          MemorySegment.class,
          long.class,
          String.class);
  private static final MethodHandle GET_TEXT =
      own(
          ComponentAccess.class,
          "getText",
          String.class,
          int.class,
          MemorySegment.class,
          long.class);
  private static final MethodHandle BYTE_ORDINAL =
      own(ComponentAccess.class, "byteOrdinal", byte.class, Enum.class);
  private static final MethodHandle SHORT_ORDINAL =
      own(ComponentAccess.class, "shortOrdinal", short.class, Enum.class);
  private static final MethodHandle BYTE_CONSTANT =
      own(
          ComponentAccess.class,
          "constant",
          Object.class,
          Object[].class,
          String.class,
          byte.class);
  private static final MethodHandle SHORT_CONSTANT =
      own(
          ComponentAccess.class,
          "constant",
          Object.class,
          Object[].class,
          String.class,
          short.class);

  /** A static method of this package. */
  static MethodHandle own(Class<?> owner, String name, Class<?> result, Class<?>... arguments) {
    try {
      return LOOKUP.findStatic(owner, name, MethodType.methodType(result, arguments));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("method must be there: method=" + name, e);
    }
  }
}
