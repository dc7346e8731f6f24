package dev.millrace.flyweight;

import dev.millrace.flyweight.internal.ClassGeneration;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Maps an interface to a layout, and its methods to method handles that access the fields: see
 * {@link FlyweightType}.
 */
final class InterfaceMapping {
  private final Class<?> type;
  private final MethodHandles.@Nullable Lookup lookup;
  private final List<FlyweightType<?>> parts = new ArrayList<>(); // for fields that are interfaces

  /**
   * A method of the interface.
   *
   * @param isRead whether it reads a value and returns it
   * @param isAppend whether it reads text and appends it to a builder
   * @param value the type that it reads or writes
   */
  private record Accessor(
      Method method,
      boolean isRead,
      boolean isAppend,
      Class<?> value,
      Type generic,
      boolean isIndexed) {
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
      boolean isAppend =
          !isRead && value == StringBuilder.class && !BeanNames.isSetter(method.getName());
      return new Accessor(method, isRead, isAppend, value, generic, isIndexed);
    }

    String name() {
      return method.getName();
    }

    /** Returns whether the method reads the field. */
    boolean isGetter() {
      return isRead || isAppend;
    }

    /**
     * Returns whether both methods access the same type. All subtypes of CharSequence count as the
     * same.
     */
    boolean isOfTypeOf(Accessor other) {
      return value == other.value
          || (CharSequence.class.isAssignableFrom(value)
              && CharSequence.class.isAssignableFrom(other.value));
    }
  }

  /**
   * A field.
   *
   * @param length the number of its elements, or 0 if its accessors take no index
   * @param type the type of an element
   * @param reader {@code (MemorySegment, long)T}, or {@code (Flyweight, long)T} for a nested
   *     interface
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

    /** Returns the handle with which {@code accessor} accesses one element. */
    MethodHandle access(Accessor accessor) {
      boolean isBuilder = accessor.value == StringBuilder.class;
      MethodHandle access =
          accessor.isRead
              ? reader
              : isBuilder == accessor.isAppend ? writers.get(accessor.value) : null;
      if (access == null || (accessor.isRead && accessor.value != type)) {
        throw refused("must be of the field's type, " + type.getName(), accessor.method);
      }
      return access;
    }
  }

  private InterfaceMapping(Class<?> type, MethodHandles.@Nullable Lookup lookup) {
    this.type = type;
    this.lookup = lookup;
  }

  /**
   * Implements an interface.
   *
   * @param lookup a lookup of a class in the interface's package, or null to find one
   */
  static FlyweightType<?> of(Class<?> type, MethodHandles.@Nullable Lookup lookup) {
    if (type.isInterface()) { // before any reflection, which finds little in a native image
      String flyweight = type.getSimpleName() + "Flyweight";
      ClassGeneration.require(
          "interface " + type.getName(),
          "write a class "
              + flyweight
              + " that extends Flyweight, and pass FlyweightType.of("
              + flyweight
              + "::new)");
    }
    if (!type.isInterface() || type.isAnnotation() || type.isSealed()) {
      throw new IllegalArgumentException(
          "type must be an interface that is not sealed: "
              + type.getTypeName()
              + " is "
              + whatElse(type));
    }
    checkFinite(type, new ArrayList<>());
    return new InterfaceMapping(type, lookup).implemented();
  }

  /** Says what {@code type} is, given that it cannot be implemented, and what to pass instead. */
  private static String whatElse(Class<?> type) {
    String fields = "give an interface with a method for each field (see FlyweightType)";
    if (type.isRecord()) {
      return "a record, which RecordQueue takes; or " + fields;
    } else if (type.isEnum()) {
      return "an enum, which can be a field of a record; " + fields;
    } else if (Flyweight.class.isAssignableFrom(type)) {
      return "a class, give FlyweightType.of(" + type.getSimpleName() + "::new)";
    } else if (type.isAnnotation()) {
      return "an annotation; " + fields;
    } else if (type.isSealed() && type.isInterface()) {
      return "sealed, so the library cannot implement it; remove 'sealed', or " + fields;
    }
    return (type.isPrimitive() ? "a primitive type; " : type.isArray() ? "an array; " : "a class; ")
        + fields;
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
        .filter(method -> ofSignature(Object.class, method) == null) // toString, equals, hashCode
        .map(method -> Accessor.of(type, method))
        .toList();
  }

  /**
   * Returns the public method of {@code owner} with the name and parameters of {@code method}, or
   * null if there is none.
   */
  private static @Nullable Method ofSignature(Class<?> owner, Method method) {
    try {
      return owner.getMethod(method.getName(), method.getParameterTypes());
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  /**
   * Returns whether {@code value} describes a nested record. An interface does, unless it is a JDK
   * interface.
   */
  private static boolean isNested(Class<?> value) {
    return value.isInterface() && !value.getPackageName().startsWith("java.");
  }

  private FlyweightType<?> implemented() {
    List<Accessor> all = accessors(type);
    if (all.isEmpty()) {
      throw new IllegalArgumentException(
          "interface must have a method without a body: interface=" + type.getName());
    }
    MethodHandles.Lookup beside = lookup == null ? lookupBeside() : lookup;
    Map<String, List<Accessor>> accessors = byField(all);
    List<Field> fields = new ArrayList<>();
    accessors.forEach((name, its) -> fields.add(field(name, its)));
    fields.sort(Comparator.comparingLong(field -> -field.element.byteAlignment())); // then by name
    RecordLayout layout =
        RecordLayout.of(fields.stream().map(Field::layout).toArray(MemoryLayout[]::new));
    FlyweightClass made = new FlyweightClass(type, layout, beside);
    Set<List<Object>> signatures = new HashSet<>(); // superinterfaces may repeat one
    for (Field field : fields) {
      for (Accessor accessor : field.accessors) {
        Method method = accessor.method;
        MethodHandle access = access(accessor, field, layout);
        List<Class<?>> parameters = List.of(method.getParameterTypes());
        if (signatures.add(List.of(method.getName(), method.getReturnType(), parameters))) {
          made.add(method, access);
        }
      }
    }
    checkAllRead(fields, all);
    return made.define(parts);
  }

  // ---- which methods belong together ----

  /**
   * Groups the accessors by the name of their field. A reading method names its field. A writing
   * method belongs to the reading method of the same name or, failing that, to one named in the
   * other style. So {@code price(v)} and {@code setPrice(v)} both belong to {@code price()}, {@code
   * getPrice()} or {@code isPrice()}.
   */
  private static Map<String, List<Accessor>> byField(List<Accessor> accessors) {
    Map<String, List<Accessor>> fields = new TreeMap<>();
    for (Accessor accessor : accessors) {
      Method own = ofSignature(Flyweight.class, accessor.method);
      if (own != null && own.getReturnType() == accessor.method.getReturnType()) {
        throw refused("must have another name: each flyweight has " + own, accessor.method);
      }
      String name = accessor.name();
      String field =
          accessor.isGetter()
              ? BeanNames.fieldOfReader(name)
              : readerOf(accessor, accessors)
                  .map(BeanNames::fieldOfReader)
                  .orElse(BeanNames.fieldOfWriter(name));
      fields.computeIfAbsent(field, _ -> new ArrayList<>()).add(accessor);
    }
    fields.forEach(
        (field, its) -> {
          its.sort(Comparator.comparing(accessor -> !accessor.isRead)); // a reader says the type
          List<String> names = namesOf(its.stream().filter(Accessor::isGetter));
          if (names.size() > 1) {
            throw refused(
                "must be the only one that reads field " + field + ", but so does " + names.get(1),
                its.stream().filter(a -> a.name().equals(names.get(0))).findFirst().get().method);
          }
        });
    return fields;
  }

  /** Returns the name of the methods that read what {@code writer} writes. */
  private static Optional<String> readerOf(Accessor writer, List<Accessor> accessors) {
    List<Accessor> readers = accessors.stream().filter(Accessor::isGetter).toList();
    List<String> candidates = BeanNames.readersFor(writer.name());
    if (namesOf(readers.stream()).contains(writer.name())) {
      return Optional.of(writer.name());
    }
    List<String> found =
        namesOf(readers.stream().filter(reader -> candidates.contains(reader.name())));
    if (found.size() > 1) {
      List<String> ofType =
          namesOf(
              readers.stream()
                  .filter(reader -> found.contains(reader.name()) && reader.isOfTypeOf(writer)));
      if (ofType.size() != 1) {
        throw refused(
            "must write a field that one method reads, not each of " + found, writer.method);
      }
      return Optional.of(ofType.getFirst());
    }
    return found.stream().findFirst();
  }

  private static List<String> namesOf(Stream<Accessor> accessors) {
    return accessors.map(Accessor::name).distinct().sorted().toList();
  }

  /** Rejects a field that can be written but never read, because its values would be lost. */
  private static void checkAllRead(List<Field> fields, List<Accessor> all) {
    for (Field field : fields) {
      if (field.accessors.stream().noneMatch(Accessor::isGetter)) {
        Accessor writer = field.accessors.getFirst();
        String looked = String.join(", ", BeanNames.readersFor(writer.name()));
        throw refused(
            "must write what another method reads: none is named " + looked + near(writer, all),
            writer.method);
      }
    }
  }

  /**
   * Names readers of the same type whose field has no writer, because the name of one may be
   * misspelt.
   */
  private static String near(Accessor writer, List<Accessor> all) {
    List<String> written = new ArrayList<>();
    for (Accessor other : all) {
      if (!other.isGetter()) {
        readerOf(other, all).ifPresent(written::add);
      }
    }
    List<String> near =
        namesOf(
            all.stream()
                .filter(a -> a.isGetter() && a.isOfTypeOf(writer) && !written.contains(a.name())));
    return near.isEmpty() ? "" : "; is it meant to be " + String.join(" or ", near) + "?";
  }

  /** Returns a lookup that may define classes in the interface's package. */
  private MethodHandles.Lookup lookupBeside() {
    try {
      FlyweightType.class.getModule().addReads(type.getModule());
      MethodHandles.Lookup in = MethodHandles.privateLookupIn(type, LOOKUP);
      return in.hasFullPrivilegeAccess() ? in : FlyweightClass.lookupBeside(in);
    } catch (IllegalAccessException e) {
      throw RecordMapping.notOpen(type, remedy(), e);
    }
  }

  /**
   * Checks that the package of a nested interface is open. The user's lookup cannot help here,
   * because it is for a different package.
   */
  private static void checkOpen(Class<?> nested) {
    try {
      FlyweightType.class.getModule().addReads(nested.getModule());
      MethodHandles.privateLookupIn(nested, LOOKUP);
    } catch (IllegalAccessException e) {
      throw RecordMapping.notOpen(nested, null, e);
    }
  }

  // ---- fields ----

  private Field field(String name, List<Accessor> accessors) {
    String path = pathOf(name);
    int length = lengthOf(accessors);
    boolean isIndexed = accessors.getFirst().isIndexed;
    int count = isIndexed ? length : 0; // number of elements of an indexed field
    int limit = isIndexed ? 0 : length; // number of elements of a value that is an array
    Text text = Text.of(accessors.stream().map(Accessor::method).toList(), path);
    Class<?> of = text != null ? String.class : accessors.getFirst().value;
    if (isNested(of)) {
      boolean isBeside = lookup != null && of.getPackage().equals(type.getPackage());
      if (!isBeside) {
        checkOpen(of);
      }
      FlyweightType<?> nested = isBeside ? of(of, lookup) : FlyweightType.of(of);
      MethodHandle reader = MethodHandles.insertArguments(MOVED, 0, parts.size());
      parts.add(nested);
      MemoryLayout layout = nested.layout().layout();
      return new Field(name, accessors, count, of, layout, reader, Map.of());
    }
    Type generic = accessors.getFirst().generic;
    Part part = RecordMapping.ofField(type, of, generic, text, limit, path, remedy(), lookup);
    Map<Class<?>, MethodHandle> writers =
        text == null
            ? Map.of(of, writer(part, of, path))
            : Map.of(
                String.class, writer(part, String.class, path),
                CharSequence.class, writer(part, CharSequence.class, path),
                StringBuilder.class, APPEND.bindTo(text));
    return new Field(name, accessors, count, of, part.layout(), part.reader(), writers);
  }

  /** Returns the call to recommend if a package is not open. */
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
    Accessor first = accessors.getFirst();
    boolean needIndex = length > 0 && (first.isIndexed || !first.value.isArray());
    for (Accessor accessor : accessors) {
      if (accessor.isIndexed != needIndex) {
        throw refused("must have an index if, and only if, it has a Length", accessor.method);
      }
    }
    return length;
  }

  /** Returns a handle {@code (MemorySegment, long, T)void} that writes a value. */
  private static MethodHandle writer(Part part, Class<?> value, String path) {
    MethodHandle writer = PartWriter.writer(part);
    return MethodHandles.filterArguments(
        writer.asType(writer.type().changeParameterType(2, value)),
        2,
        RecordMapping.present(value, path));
  }

  // ---- accesses ----

  /**
   * Returns a handle {@code (Flyweight, parameters)result} that does what the method does. It
   * returns void where the method returns {@code this}.
   */
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
   * Returns a handle that accesses a primitive field through a layout of the whole record. The
   * segment then checks the bounds of the record, so that all fields of a record share one check.
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

  // ---- called by handles, with the bound constant first ----

  @SuppressWarnings("NullAway") // called for interfaces with nested ones only
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
