package dev.millrace.flyweight;

import dev.millrace.flyweight.internal.Part;
import dev.millrace.flyweight.internal.PartWriter;
import dev.millrace.flyweight.internal.RecordMapping;
import dev.millrace.flyweight.internal.Text;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle.AccessMode;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Maps an interface to a layout, and its methods to accesses: see {@link FlyweightType}. */
final class InterfaceMapping {
  private final Class<?> type;
  private final MethodHandles.Lookup lookup;
  private final List<FlyweightType<?>> parts = new ArrayList<>(); // of nested interfaces

  /**
   * A method of the interface.
   *
   * @param value the type that it reads or writes
   */
  private record Accessor(
      Method method, boolean isRead, Class<?> value, Type generic, boolean isIndexed) {
    static Accessor of(Class<?> type, Method method) {
      Class<?> result = method.getReturnType();
      Class<?>[] parameters = method.getParameterTypes();
      int count = parameters.length;
      boolean isRead = count == 0 || !(result == void.class || result.isAssignableFrom(type));
      int values = isRead ? 0 : 1;
      boolean isIndexed = count == values + 1 && parameters[0] == int.class;
      if ((count != values && !isIndexed) || (isRead && result == void.class)) {
        throw refused("must read or write a field", method);
      }
      Class<?> value = isRead ? result : parameters[count - 1];
      Type generic =
          isRead ? method.getGenericReturnType() : method.getGenericParameterTypes()[count - 1];
      return new Accessor(method, isRead, value, generic, isIndexed);
    }
  }

  /**
   * A field.
   *
   * @param length the number of its elements; 0 if it is no array
   * @param type the type of an element
   * @param reader {@code (MemorySegment, long)T}; of a nested interface {@code (Flyweight, long)T}
   * @param writers {@code (MemorySegment, long, V)void} for each V that may be written
   */
  private record Field(
      String name,
      List<Accessor> accessors,
      int length,
      Class<?> type,
      MemoryLayout element,
      MethodHandle reader,
      Map<Class<?>, MethodHandle> writers) {
    MemoryLayout layout() {
      return (length == 0 ? element : MemoryLayout.sequenceLayout(length, element)).withName(name);
    }

    /** Returns what an accessor does with an element. */
    MethodHandle access(Accessor accessor) {
      MethodHandle access = accessor.isRead ? reader : writers.get(accessor.value);
      if (access == null || (accessor.isRead && accessor.value != type)) {
        throw refused("must be of the field's type, " + type.getName(), accessor.method);
      }
      return access;
    }
  }

  private InterfaceMapping(Class<?> type, MethodHandles.Lookup lookup) {
    this.type = type;
    this.lookup = lookup;
  }

  /**
   * Implements an interface.
   *
   * @param lookup beside the interface; null for one of our own
   */
  static FlyweightType<?> of(Class<?> type, MethodHandles.Lookup lookup) {
    if (!type.isInterface() || type.isAnnotation() || type.isSealed()) {
      throw new IllegalArgumentException(
          "type must be an interface, not sealed: type=" + type.getName());
    }
    checkFinite(type, new ArrayList<>());
    return new InterfaceMapping(type, lookup).implemented();
  }

  private static void checkFinite(Class<?> type, List<Class<?>> containing) {
    containing.add(type);
    for (Accessor accessor : accessors(type)) {
      if (containing.contains(accessor.value)) {
        throw refused("must not be of an interface that contains it", accessor.method);
      } else if (isNested(accessor.value)) {
        checkFinite(accessor.value, containing);
      }
    }
    containing.removeLast();
  }

  private static List<Accessor> accessors(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .filter(method -> Modifier.isAbstract(method.getModifiers()))
        .map(method -> Accessor.of(type, method))
        .toList();
  }

  private static boolean isNested(Class<?> value) {
    return value.isInterface() && value != CharSequence.class;
  }

  private FlyweightType<?> implemented() {
    Map<String, List<Accessor>> accessors = new TreeMap<>();
    for (Accessor accessor : accessors(type)) {
      accessors.computeIfAbsent(accessor.method.getName(), _ -> new ArrayList<>()).add(accessor);
    }
    if (accessors.isEmpty()) {
      throw new IllegalArgumentException(
          "interface must have a method without a body: interface=" + type.getName());
    }
    List<Field> fields = new ArrayList<>();
    accessors.forEach((name, its) -> fields.add(field(name, its)));
    fields.sort(Comparator.comparingLong(field -> -field.element.byteAlignment())); // then by name
    RecordLayout layout =
        RecordLayout.of(fields.stream().map(Field::layout).toArray(MemoryLayout[]::new));
    FlyweightClass made =
        new FlyweightClass(type, layout, lookup == null ? lookupBeside() : lookup);
    for (Field field : fields) {
      for (Accessor accessor : field.accessors) {
        made.add(accessor.method, access(accessor, field, layout));
      }
    }
    return made.define(parts);
  }

  /** A lookup that may define classes beside the interface. */
  private MethodHandles.Lookup lookupBeside() {
    try {
      FlyweightType.class.getModule().addReads(type.getModule());
      MethodHandles.Lookup in = MethodHandles.privateLookupIn(type, LOOKUP);
      return in.hasFullPrivilegeAccess() ? in : FlyweightClass.lookupBeside(in);
    } catch (IllegalAccessException e) {
      throw RecordMapping.notOpen(type, remedy(), e);
    }
  }

  // ---- fields ----

  private Field field(String name, List<Accessor> accessors) {
    String path = pathOf(name);
    int length = lengthOf(accessors);
    Text text = Text.of(accessors.stream().map(Accessor::method).toList(), path);
    Class<?> of = text != null ? String.class : accessors.getFirst().value;
    if (isNested(of)) {
      boolean isBeside = lookup != null && of.getPackage().equals(type.getPackage());
      FlyweightType<?> nested = isBeside ? of(of, lookup) : FlyweightType.of(of);
      MethodHandle reader = MethodHandles.insertArguments(MOVED, 0, parts.size());
      parts.add(nested);
      MemoryLayout layout = nested.layout().layout();
      return new Field(name, accessors, length, of, layout, reader, Map.of());
    }
    Type generic = accessors.getFirst().generic;
    Part part = RecordMapping.ofField(of, generic, text, path, remedy(), lookup);
    Map<Class<?>, MethodHandle> writers =
        text == null
            ? Map.of(of, writer(part, of, path))
            : Map.of(
                String.class, writer(part, String.class, path),
                CharSequence.class, writer(part, CharSequence.class, path),
                StringBuilder.class, APPEND.bindTo(text));
    return new Field(name, accessors, length, of, part.layout(), part.reader(), writers);
  }

  /** What to call if a package is not open. */
  private String remedy() {
    return "FlyweightType.of(" + type.getSimpleName() + ".class, MethodHandles.lookup())";
  }

  private String pathOf(String name) {
    return type.getSimpleName() + "." + name;
  }

  private static int lengthOf(List<Accessor> accessors) {
    List<Integer> lengths =
        accessors.stream()
            .map(accessor -> accessor.method.getAnnotation(Length.class))
            .filter(Objects::nonNull)
            .map(Length::value)
            .distinct()
            .toList();
    int length = lengths.isEmpty() ? 0 : lengths.getFirst();
    if (lengths.size() > 1 || length < lengths.size()) {
      throw refused("must have one Length of at least 1", accessors.getFirst().method);
    }
    for (Accessor accessor : accessors) {
      if (accessor.isIndexed != length > 0) {
        throw refused("must have an index if, and only if, it has a Length", accessor.method);
      }
    }
    return length;
  }

  /** {@code (MemorySegment, long, T)void}. */
  private static MethodHandle writer(Part part, Class<?> value, String path) {
    MethodHandle writer = PartWriter.writer(part);
    return MethodHandles.filterArguments(
        writer.asType(writer.type().changeParameterType(2, value)),
        2,
        RecordMapping.present(value, path));
  }

  // ---- accesses ----

  /** Does what a method does: {@code (Flyweight, parameters)result}, but void instead of this. */
  private MethodHandle access(Accessor accessor, Field field, RecordLayout layout) {
    MethodHandle access = field.access(accessor);
    long offset = layout.offsetOf(field.name);
    if (field.length > 0) {
      long stride = field.element.byteSize();
      FieldAt elements =
          new FieldAt(layout, pathOf(field.name), offset, null, null, stride, field.length, null);
      access = MethodHandles.collectArguments(access, 1, ELEMENT.bindTo(elements));
    } else if (field.type.isPrimitive()) {
      access = ofWhole(layout, field, offset, accessor.isRead);
    } else {
      access = Part.at(offset, access);
    }
    access = MethodHandles.filterArguments(access, 1, OFFSET);
    access = MethodHandles.foldArguments(access, isNested(field.type) ? SELF : MEMORY);
    return access.asType(
        MethodType.methodType(accessor.isRead ? accessor.value : void.class, Flyweight.class)
            .appendParameterTypes(accessor.method.getParameterTypes()));
  }

  /**
   * Accesses a primitive field through the whole record: its bounds are what is checked, so that
   * all fields of a record share one check.
   */
  private static MethodHandle ofWhole(
      RecordLayout layout, Field field, long offset, boolean isRead) {
    long rest = layout.sizeBytes() - offset - field.element.byteSize();
    MemoryLayout whole =
        MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(offset, ValueLayout.JAVA_BYTE),
            field.element.withByteAlignment(1),
            MemoryLayout.sequenceLayout(rest, ValueLayout.JAVA_BYTE));
    return whole
        .varHandle(PathElement.groupElement(1))
        .toMethodHandle(isRead ? AccessMode.GET : AccessMode.SET);
  }

  private static IllegalArgumentException refused(String rule, Method method) {
    return new IllegalArgumentException("method " + rule + ": method=" + method);
  }

  // ---- called by handles; constants come first ----

  static Object moved(int part, Flyweight whole, long offset) {
    Flyweight moved = whole.parts[part];
    moved.moveTo(offset);
    return moved;
  }

  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  private static final MethodHandle ELEMENT =
      handle(FieldAt.class, "elementAt", long.class, int.class);
  private static final MethodHandle MOVED =
      handle(InterfaceMapping.class, "moved", int.class, Flyweight.class, long.class);
  private static final MethodHandle APPEND =
      handle(Text.class, "append", MemorySegment.class, long.class, StringBuilder.class);
  private static final MethodHandle OFFSET = handle(Flyweight.class, "offset");
  private static final MethodHandle MEMORY = handle(Flyweight.class, "memory");
  private static final MethodHandle SELF = MethodHandles.identity(Flyweight.class);

  private static MethodHandle handle(Class<?> owner, String name, Class<?>... parameters) {
    return Part.handle(LOOKUP, owner, name, parameters);
  }
}
