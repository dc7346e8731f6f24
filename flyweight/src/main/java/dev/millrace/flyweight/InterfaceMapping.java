package dev.millrace.flyweight;

import java.lang.annotation.Annotation;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.invoke.VarHandle.AccessMode;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/** How an interface becomes a layout, and its methods accesses: see {@link FlyweightType}. */
final class InterfaceMapping {
  private final Class<?> type;
  private final MethodHandles.Lookup lookup;
  private final Map<String, FieldMethods> fields = new TreeMap<>();

  /** What a method does. */
  enum Kind {
    READ,
    WRITE,
    /** Appends text to a builder. */
    APPEND
  }

  /**
   * A method of the interface.
   *
   * @param value the type that it reads or writes
   */
  private record Accessor(Method method, Kind kind, Class<?> value, boolean isIndexed) {
    static Accessor of(Class<?> type, Method method) {
      Class<?>[] parameters = method.getParameterTypes();
      Class<?> result = method.getReturnType();
      boolean writes = result == void.class || result.isAssignableFrom(type);
      int count = parameters.length;
      boolean hasIndex = count > 0 && parameters[0] == int.class;
      if (count == 0 && result != void.class) {
        return new Accessor(method, Kind.READ, result, false);
      } else if (count == 1 && writes) {
        return ofValue(method, parameters[0], false);
      } else if (count == 1 && hasIndex) {
        return new Accessor(method, Kind.READ, result, true);
      } else if (count == 2 && hasIndex && writes) {
        return ofValue(method, parameters[1], true);
      }
      throw refused("must read or write a field", method);
    }

    private static Accessor ofValue(Method method, Class<?> value, boolean isIndexed) {
      boolean appends = value == StringBuilder.class && method.getReturnType() == void.class;
      return new Accessor(method, appends ? Kind.APPEND : Kind.WRITE, value, isIndexed);
    }
  }

  /** The methods of a field. */
  private record FieldMethods(String name, List<Accessor> accessors) {
    /** The value of an annotation that at most one of them has, or 0. */
    <A extends Annotation> int value(Class<A> annotation, ToIntFunction<A> value) {
      int found = 0;
      for (Accessor accessor : accessors) {
        A present = accessor.method.getAnnotation(annotation);
        if (present != null) {
          int its = value.applyAsInt(present);
          if (its < 1 || (found != 0 && found != its)) {
            throw refused(
                "must have one " + annotation.getSimpleName() + " of at least 1", accessor.method);
          }
          found = its;
        }
      }
      return found;
    }

    Method first() {
      return accessors.getFirst().method;
    }
  }

  /**
   * How the elements of a field are accessed; there is one if it is no array.
   *
   * @param accesses {@code (MemorySegment, long)T}, {@code (MemorySegment, long, T)void}; of a
   *     nested interface {@code (Flyweight, long)T}
   * @param nested the type of a nested interface, or null
   */
  private record Element(
      Class<?> type,
      MemoryLayout layout,
      Map<Kind, MethodHandle> accesses,
      FlyweightType<?> nested) {
    boolean allows(Accessor accessor) {
      MethodHandle access = accesses.get(accessor.kind);
      return access != null
          && (accessor.value == type
              || (accessor.kind != Kind.READ
                  && accessor.value == access.type().lastParameterType()));
    }
  }

  /** A field; its length is 0 if it is no array. */
  private record Field(FieldMethods methods, Element element, int length) {
    MemoryLayout layout() {
      MemoryLayout one = element.layout;
      return (length == 0 ? one : MemoryLayout.sequenceLayout(length, one)).withName(methods.name);
    }
  }

  private InterfaceMapping(Class<?> type, MethodHandles.Lookup lookup) {
    this.type = type;
    this.lookup = lookup;
  }

  // ---- lookups ----

  /** A lookup that may define classes beside an interface. */
  private static MethodHandles.Lookup lookupIn(Class<?> type) {
    try {
      FlyweightType.class.getModule().addReads(type.getModule());
      MethodHandles.Lookup in = MethodHandles.privateLookupIn(type, LOOKUP);
      return in.hasFullPrivilegeAccess() ? in : FlyweightClass.lookupBeside(in);
    } catch (IllegalAccessException e) {
      throw RecordMapping.notOpen("FlyweightType", type, type, e);
    }
  }

  // ---- mapping ----

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
    for (Method method : abstractMethods(type)) {
      Class<?> value = Accessor.of(type, method).value;
      if (containing.contains(value)) {
        throw refused("must not be of an interface that contains it", method);
      } else if (isNested(value)) {
        checkFinite(value, containing);
      }
    }
    containing.removeLast();
  }

  private static List<Method> abstractMethods(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .filter(method -> Modifier.isAbstract(method.getModifiers()))
        .toList();
  }

  private static boolean isNested(Class<?> value) {
    return value.isInterface() && value != CharSequence.class;
  }

  private FlyweightType<?> implemented() {
    for (Method method : abstractMethods(type)) {
      fields
          .computeIfAbsent(method.getName(), name -> new FieldMethods(name, new ArrayList<>()))
          .accessors
          .add(Accessor.of(type, method));
    }
    if (fields.isEmpty()) {
      throw new IllegalArgumentException(
          "interface must have a method without a body: interface=" + type.getName());
    }
    List<Field> mapped =
        fields.values().stream()
            .map(this::mapped)
            .sorted(
                Comparator.comparingLong((Field field) -> -field.element.layout.byteAlignment())
                    .thenComparing(field -> field.methods.name))
            .toList();
    RecordLayout layout =
        RecordLayout.of(mapped.stream().map(Field::layout).toArray(MemoryLayout[]::new));
    FlyweightClass made =
        new FlyweightClass(type, layout, lookup == null ? lookupIn(type) : lookup);
    mapped.forEach(field -> add(made, layout, field));
    return made.define();
  }

  private Field mapped(FieldMethods methods) {
    int length = methods.value(Length.class, Length::value);
    for (Accessor accessor : methods.accessors) {
      if (accessor.isIndexed != length > 0) {
        throw refused("must have an index if, and only if, it has a Length", accessor.method);
      }
    }
    Element element = element(methods);
    for (Accessor accessor : methods.accessors) {
      if (!element.allows(accessor)) {
        throw refused("must be of the field's type, " + element.type.getName(), accessor.method);
      }
    }
    return new Field(methods, element, length);
  }

  private Element element(FieldMethods methods) {
    int ascii = methods.value(Ascii.class, Ascii::value);
    int utf8 = methods.value(Utf8.class, Utf8::value);
    Class<?> of = methods.accessors.getFirst().value;
    if (ascii > 0 && utf8 > 0) {
      throw refused("must be of Ascii or of Utf8", methods.first());
    } else if (ascii + utf8 > 0) {
      return ofText(new Text(ascii > 0, ascii + utf8, pathOf(methods)));
    } else if (of.isPrimitive()) {
      ValueLayout layout = Part.PRIMITIVES.get(of);
      VarHandle unaligned = layout.withByteAlignment(1).varHandle();
      return new Element(
          of,
          layout,
          Map.of(
              Kind.READ, unaligned.toMethodHandle(AccessMode.GET),
              Kind.WRITE, unaligned.toMethodHandle(AccessMode.SET)),
          null);
    } else if (isNested(of)) {
      boolean isBeside = lookup != null && of.getPackage().equals(type.getPackage());
      FlyweightType<?> nested = isBeside ? of(of, lookup) : FlyweightType.of(of);
      return new Element(of, nested.layout().layout(), Map.of(Kind.READ, MOVED), nested);
    }
    Part part = RecordMapping.ofValue(of, pathOf(methods));
    if (part == null) {
      throw refused(
          "must be of a primitive type, an enum, a String of Ascii or Utf8, a value such as"
              + " Instant, or an interface",
          methods.first());
    }
    MethodHandle writer = writer(part, of, pathOf(methods));
    return new Element(
        of, part.layout(), Map.of(Kind.READ, part.reader(), Kind.WRITE, writer), null);
  }

  private static Element ofText(Text text) {
    Part part = Part.ofText(text);
    MethodHandle writer = writer(part, CharSequence.class, text.name());
    MethodHandle appender = APPEND.bindTo(text);
    return new Element(
        String.class,
        part.layout(),
        Map.of(Kind.READ, part.reader(), Kind.WRITE, writer, Kind.APPEND, appender),
        null);
  }

  /** {@code (MemorySegment, long, T)void}, which refuses null. */
  private static MethodHandle writer(Part part, Class<?> value, String path) {
    MethodHandle writer = PartWriter.writer(part);
    return MethodHandles.filterArguments(
        writer.asType(writer.type().changeParameterType(2, value)),
        2,
        RecordMapping.present(value, path));
  }

  private String pathOf(FieldMethods methods) {
    return type.getSimpleName() + "." + methods.name;
  }

  // ---- accesses ----

  private void add(FlyweightClass made, RecordLayout layout, Field field) {
    for (Accessor accessor : field.methods.accessors) {
      MethodHandle access = access(accessor, field, layout);
      if (field.element.nested == null) {
        made.addAccess(accessor.method, access);
      } else {
        made.addPart(accessor.method, access, field.element.nested);
      }
    }
  }

  /** Accesses what a method does, by the method's own types. */
  private MethodHandle access(Accessor accessor, Field field, RecordLayout layout) {
    String name = field.methods.name;
    long offset = layout.offsetOf(name);
    MethodHandle access = field.element.accesses.get(accessor.kind);
    if (accessor.isIndexed) {
      long stride = field.element.layout.byteSize();
      MethodHandle index =
          MethodHandles.insertArguments(
              INDEX, 0, pathOf(field.methods), field.length, offset, stride);
      access = MethodHandles.collectArguments(access, 1, index);
    } else if (accessor.value.isPrimitive()) {
      access = ofWhole(layout, name, accessor.kind);
    } else {
      access = Part.at(offset, access);
    }
    Class<?> result = accessor.kind == Kind.READ ? accessor.value : void.class;
    return access.asType(
        MethodType.methodType(result, access.type().parameterType(0), long.class)
            .appendParameterTypes(accessor.method.getParameterTypes()));
  }

  /**
   * Accesses a primitive field through the whole record: its bounds are what is checked, so that
   * all fields of a record share one check.
   */
  private static MethodHandle ofWhole(RecordLayout layout, String name, Kind kind) {
    ValueLayout value = (ValueLayout) layout.layout().select(PathElement.groupElement(name));
    long offset = layout.offsetOf(name);
    long rest = layout.sizeBytes() - offset - value.byteSize();
    return MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(offset, ValueLayout.JAVA_BYTE),
            value.withByteAlignment(1),
            MemoryLayout.sequenceLayout(rest, ValueLayout.JAVA_BYTE))
        .varHandle(PathElement.groupElement(1))
        .toMethodHandle(kind == Kind.READ ? AccessMode.GET : AccessMode.SET);
  }

  private static IllegalArgumentException refused(String rule, Method method) {
    return new IllegalArgumentException("method " + rule + ": method=" + method);
  }

  // ---- called by handles ----

  /** Returns where an element is; the constants come first. */
  static long index(String path, int length, long first, long stride, long offset, int index) {
    FlyweightCursor.checkIndex(path, length, index);
    return offset + first + index * stride;
  }

  static Object moved(Flyweight part, long offset) {
    part.moveTo(offset);
    return part;
  }

  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  private static final MethodHandle INDEX =
      Part.own(
          InterfaceMapping.class,
          "index",
          long.class,
          String.class,
          int.class,
          long.class,
          long.class,
          long.class,
          int.class);
  private static final MethodHandle MOVED =
      Part.own(InterfaceMapping.class, "moved", Object.class, Flyweight.class, long.class);
  private static final MethodHandle APPEND =
      Part.method(
          Text.class, "append", void.class, MemorySegment.class, long.class, StringBuilder.class);
}
