package dev.millrace.flyweight;

import java.lang.annotation.Annotation;
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
   * A value in memory.
   *
   * @param reader {@code (MemorySegment, long)T}
   * @param writer {@code (MemorySegment, long, T)void}
   * @param appender {@code (MemorySegment, long, StringBuilder)void}, of text
   * @param nested of an interface, which has none of these
   */
  private record Value(
      Class<?> type,
      MemoryLayout layout,
      MethodHandle reader,
      MethodHandle writer,
      MethodHandle appender,
      FlyweightType<?> nested) {}

  /** A field with what its elements are; one if it is no array. */
  private record Field(FieldMethods methods, Value value, int length) {
    MemoryLayout layout() {
      MemoryLayout one = value.layout;
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
                Comparator.comparingLong((Field field) -> -field.value.layout.byteAlignment())
                    .thenComparing(field -> field.methods.name))
            .toList();
    RecordLayout layout =
        RecordLayout.of(mapped.stream().map(Field::layout).toArray(MemoryLayout[]::new));
    FlyweightClass made = new FlyweightClass(type, layout);
    mapped.forEach(field -> add(made, layout, field));
    return made.define(lookup == null ? lookupIn(type) : lookup);
  }

  private Field mapped(FieldMethods methods) {
    int length = methods.value(Length.class, Length::value);
    for (Accessor accessor : methods.accessors) {
      if (accessor.isIndexed != length > 0) {
        throw refused("must have an index if, and only if, it has a Length", accessor.method);
      }
    }
    int ascii = methods.value(Ascii.class, Ascii::value);
    int utf8 = methods.value(Utf8.class, Utf8::value);
    if (ascii > 0 && utf8 > 0) {
      throw refused("must be of Ascii or of Utf8", methods.first());
    }
    Value value =
        ascii > 0
            ? ofText(AsciiText.class, ascii, methods)
            : utf8 > 0 ? ofText(Utf8Text.class, utf8, methods) : ofType(methods);
    for (Accessor accessor : methods.accessors) {
      if (!isAllowed(accessor, value)) {
        throw refused("must be of the field's type, " + value.type.getName(), accessor.method);
      }
    }
    return new Field(methods, value, length);
  }

  private static boolean isAllowed(Accessor accessor, Value value) {
    boolean isText = value.appender != null;
    return switch (accessor.kind) {
      case READ -> accessor.value == value.type;
      case WRITE ->
          value.nested == null
              && (accessor.value == value.type || (isText && accessor.value == CharSequence.class));
      case APPEND -> isText;
    };
  }

  private Value ofType(FieldMethods methods) {
    Class<?> of = methods.accessors.getFirst().value;
    if (of.isPrimitive()) {
      ValueLayout layout = Part.PRIMITIVES.get(of);
      ValueLayout unaligned = layout.withByteAlignment(1);
      return new Value(
          of,
          layout,
          unaligned.varHandle().toMethodHandle(AccessMode.GET),
          unaligned.varHandle().toMethodHandle(AccessMode.SET),
          null,
          null);
    } else if (isNested(of)) {
      boolean isBeside = lookup != null && of.getPackage().equals(type.getPackage());
      FlyweightType<?> nested = isBeside ? of(of, lookup) : FlyweightType.of(of);
      return new Value(of, nested.layout().layout(), null, null, null, nested);
    }
    String path = type.getSimpleName() + "." + methods.name;
    Part part = RecordMapping.ofValue(of, path);
    if (part == null) {
      throw refused(
          "must be of a primitive type, an enum, a String of Ascii or Utf8, a value such as"
              + " Instant, or an interface",
          methods.first());
    }
    MethodHandle writer = part.values().of(RecordMapping.present(of, path)).writer();
    return new Value(of, part.layout(), part.reader(), writer, null, null);
  }

  private Value ofText(Class<?> code, int sizeBytes, FieldMethods methods) {
    Part part = Part.ofText(code, sizeBytes, type.getSimpleName() + "." + methods.name);
    MethodHandle appender =
        Part.own(
            code,
            "get",
            void.class,
            MemorySegment.class,
            long.class,
            int.class,
            StringBuilder.class);
    return new Value(
        String.class,
        part.layout(),
        part.reader(),
        part.values().writer(),
        MethodHandles.insertArguments(appender, 2, sizeBytes),
        null);
  }

  // ---- accesses ----

  private void add(FlyweightClass made, RecordLayout layout, Field field) {
    long offset = layout.offsetOf(field.methods.name);
    Value value = field.value;
    MethodHandle element =
        field.length == 0
            ? null
            : MethodHandles.insertArguments(
                ELEMENT,
                0,
                type.getSimpleName() + "." + field.methods.name,
                field.length,
                offset,
                value.layout.byteSize());
    for (Accessor accessor : field.methods.accessors) {
      if (value.nested != null) {
        made.addPart(accessor.method, value.nested, offset, element);
      } else {
        made.addAccess(accessor.method, accessor.kind, access(accessor, field, layout, element));
      }
    }
  }

  private static MethodHandle access(
      Accessor accessor, Field field, RecordLayout layout, MethodHandle element) {
    Value value = field.value;
    MethodHandle one =
        switch (accessor.kind) {
          case READ -> value.reader;
          case WRITE -> value.writer;
          case APPEND -> value.appender;
        };
    MethodHandle access;
    if (element != null) {
      access = MethodHandles.collectArguments(one, 1, element);
    } else if (value.type.isPrimitive()) {
      access = ofWhole(layout, field.methods.name, accessor.kind);
    } else {
      access = Part.at(layout.offsetOf(field.methods.name), one);
    }
    Class<?> given = accessor.value;
    MethodType typed =
        switch (accessor.kind) {
          case READ -> access.type().changeReturnType(given);
          case WRITE, APPEND ->
              access.type().changeParameterType(access.type().parameterCount() - 1, given);
        };
    return access.asType(typed);
  }

  /**
   * Accesses a field through the whole record: its bounds are what is checked, so that all fields
   * of a record share one check.
   */
  private static MethodHandle ofWhole(RecordLayout layout, String name, Kind kind) {
    long offset = layout.offsetOf(name);
    ValueLayout value = (ValueLayout) layout.layout().select(PathElement.groupElement(name));
    List<MemoryLayout> members = new ArrayList<>();
    if (offset > 0) {
      members.add(MemoryLayout.paddingLayout(offset));
    }
    members.add(value.withByteAlignment(1).withName(name));
    long rest = layout.sizeBytes() - offset - value.byteSize();
    if (rest > 0) {
      members.add(MemoryLayout.paddingLayout(rest));
    }
    MemoryLayout whole = MemoryLayout.structLayout(members.toArray(MemoryLayout[]::new));
    return whole
        .varHandle(PathElement.groupElement(name))
        .toMethodHandle(kind == Kind.READ ? AccessMode.GET : AccessMode.SET);
  }

  /** Where an element is; what is the same for each call comes first. */
  static long element(String name, int length, long first, long sizeBytes, long offset, int index) {
    if (index < 0 || index >= length) {
      throw new IndexOutOfBoundsException(
          "index of " + name + " must be in 0.." + (length - 1) + ": index=" + index);
    }
    return offset + first + index * sizeBytes;
  }

  private static IllegalArgumentException refused(String rule, Method method) {
    return new IllegalArgumentException("method " + rule + ": method=" + method);
  }

  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  private static final MethodHandle ELEMENT =
      Part.own(
          InterfaceMapping.class,
          "element",
          long.class,
          String.class,
          int.class,
          long.class,
          long.class,
          long.class,
          int.class);
}
