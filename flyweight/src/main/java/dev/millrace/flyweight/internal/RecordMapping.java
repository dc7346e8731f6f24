package dev.millrace.flyweight.internal;

import dev.millrace.flyweight.Length;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Maps a record class, and the record classes that it contains, to the {@link Part} that stores its
 * records.
 */
public final class RecordMapping {
  private static final int BYTE_CONSTANTS = 1 << Byte.SIZE;

  private final Class<?> whole; // the class that the user wants to be mapped
  private final String remedy;
  private final MethodHandles.Lookup lookup;
  private final SlotRules rules;
  private final List<Class<?>> containing = new ArrayList<>();
  private final TypeParameters parameters = new TypeParameters();
  private boolean isOptional; // whether the type being mapped is in an optional

  private RecordMapping(
      Class<?> whole, String remedy, MethodHandles.Lookup lookup, SlotRules rules) {
    this.whole = whole;
    this.remedy = remedy;
    this.lookup = lookup;
    this.rules = rules;
  }

  /**
   * What annotations say about a component. {@code text} is how it is stored as text, or null.
   * {@code length} is its length as an array, or 0.
   */
  private record Size(Text text, int length) {
    static final Size UNKNOWN = new Size(null, 0);

    static Size of(List<? extends AnnotatedElement> annotated, String path) {
      int length = 0;
      for (AnnotatedElement element : annotated) {
        Length its = element.getAnnotation(Length.class);
        if (its != null) {
          length = (int) Checks.inRange("Length of " + path, its.value(), 1, Integer.MAX_VALUE);
        }
      }
      return new Size(Text.of(annotated, path), length);
    }
  }

  /**
   * Maps a class. {@code lookup} must see its accessors and constructors. If it is null, this
   * module opens them itself where it may. Throws {@link IllegalArgumentException} if a component
   * cannot be mapped or seen.
   */
  static Part of(Class<?> type, MethodHandles.Lookup lookup, SlotRules rules) {
    String name = type.getSimpleName();
    String remedy = "RecordQueue.of(" + name + ".class, MethodHandles.lookup(), options)";
    RecordMapping mapping = new RecordMapping(type, remedy, lookup, rules);
    return type.isRecord()
        ? mapping.ofRecord(type, type, name)
        : mapping.ofSealed(type, type, name);
  }

  /**
   * Returns whether {@code type} has variants, which are records, enums or other sealed interfaces.
   * Only an interface counts, because a record cannot extend a class.
   */
  static boolean isSealed(Class<?> type) {
    return type.isInterface() && type.isSealed();
  }

  /**
   * Maps a field of the interface {@code whole} as if it were a component, and returns how it is
   * stored. {@code generic} is the type of the field with its type arguments. {@code text} gives
   * the size of a text, and is null for other fields. {@code length} is the length of an array, or
   * 0. {@code path} names the field in messages. {@code remedy} is what to call instead if a
   * package is not open. {@code lookup} is as for records.
   */
  public static Part ofField(
      Class<?> whole,
      Class<?> type,
      Type generic,
      Text text,
      int length,
      String path,
      String remedy,
      MethodHandles.Lookup lookup) {
    return new RecordMapping(whole, remedy, lookup, SlotRules.FIXED)
        .ofComponent(type, generic, new Size(text, length), path);
  }

  /** Reports several components that cannot be mapped. */
  private static final class Refusals extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final transient List<IllegalArgumentException> each;

    private Refusals(List<IllegalArgumentException> each) {
      super(
          each.stream()
              .map(refusal -> "\n  " + refusal.getMessage())
              .collect(Collectors.joining("", each.size() + " components cannot be held:", "")));
      this.each = each;
    }

    /** Throws what is in {@code refusals}: one exception as it is, several combined into one. */
    static void throwAny(List<IllegalArgumentException> refusals) {
      List<IllegalArgumentException> all =
          refusals.stream()
              .flatMap(one -> one instanceof Refusals many ? many.each.stream() : Stream.of(one))
              .toList();
      if (!all.isEmpty()) {
        throw all.size() == 1 ? all.getFirst() : new Refusals(all);
      }
    }
  }

  // ---- records ----

  private Part ofRecord(Class<?> type, Type generic, String path) {
    RecordComponent[] components = type.getRecordComponents();
    if (components.length == 0 && containing.isEmpty()) {
      throw new IllegalArgumentException("record must have components: record=" + type.getName());
    }
    return within(type, generic, path, () -> ofComponents(type, components, path));
  }

  /** Maps {@code type} by {@code mapping}, unless the type contains itself. */
  private Part within(Class<?> type, Type generic, String path, Supplier<Part> mapping) {
    if (containing.contains(type)) {
      if (rules.holdsReferences()) {
        return SlotRules.ofReference(type);
      }
      throw unfit(path, ValueTypes.named(type) + " contains itself, so it has no fixed size");
    }
    containing.add(type);
    try {
      parameters.note(type, generic);
      return mapping.get();
    } finally {
      containing.removeLast();
    }
  }

  private Part ofComponents(Class<?> type, RecordComponent[] components, String path) {
    List<String> names = new ArrayList<>();
    List<MethodHandle> getters = new ArrayList<>();
    List<MethodHandle> fits = new ArrayList<>(); // null where all values fit
    List<Part> parts = new ArrayList<>();
    List<IllegalArgumentException> refusals = new ArrayList<>();
    List<Class<?>> types = new ArrayList<>();
    Constructor<?> constructor = constructor(type, components);
    for (int i = 0; i < components.length; i++) {
      RecordComponent component = components[i];
      String itsPath = path + "." + component.getName();
      Type generic = parameters.resolved(component.getGenericType());
      Class<?> its = Objects.requireNonNullElse(TypeParameters.rawOf(generic), component.getType());
      MethodHandle accessor = handle(component.getAccessor());
      MethodHandle getter = accessor.asType(MethodType.methodType(its, type));
      types.add(its);
      names.add(component.getName());
      getters.add(
          rules.isStrict()
              ? MethodHandles.filterReturnValue(getter, present(its, itsPath))
              : getter);
      fits.add(rules.isStrict() || needsNoPresence(its) ? null : isPresent(its));
      try {
        List<AnnotatedElement> annotated =
            List.of(
                component,
                component.getAccessor(),
                type.getDeclaredField(component.getName()),
                constructor.getParameters()[i]);
        parts.add(ofComponent(its, generic, Size.of(annotated, itsPath), itsPath));
      } catch (IllegalArgumentException e) {
        refusals.add(e);
      } catch (NoSuchFieldException e) {
        throw new AssertionError(e); // each component has a field
      }
    }
    Refusals.throwAny(refusals);
    MethodHandle typed = handle(constructor).asType(MethodType.methodType(type, types));
    return components.length == 0
        ? Part.ofNothing(typed)
        : Part.composed(names, getters, fits, parts, readers -> Part.made(typed, readers));
  }

  private Part ofComponent(Class<?> type, Type generic, Size size, String path) {
    Part part = ofType(type, generic, size, path);
    if (ValueTypes.unboxed(type) == null) {
      return part;
    }
    MethodHandle same = MethodHandles.identity(type);
    return Part.optional(isPresent(type), same, part, same, MethodHandles.zero(type));
  }

  private static Constructor<?> constructor(Class<?> type, RecordComponent[] components) {
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    try {
      return type.getDeclaredConstructor(types);
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e); // each record has this constructor
    }
  }

  private MethodHandle handle(Executable member) {
    try {
      if (lookup == null) {
        member.setAccessible(true);
      }
      MethodHandles.Lookup seeing = lookup == null ? LOOKUP : lookup;
      return member instanceof Constructor<?> constructor
          ? seeing.unreflectConstructor(constructor)
          : seeing.unreflect((Method) member);
    } catch (IllegalAccessException | InaccessibleObjectException e) {
      throw unseen(member.getDeclaringClass(), e);
    }
  }

  private IllegalArgumentException unseen(Class<?> type, Exception cause) {
    return lookup == null
        ? notOpen(type, isBeside(type) ? remedy : null, cause)
        : new IllegalArgumentException(
            "record must be seen by the lookup: record=" + type.getName() + ", lookup=" + lookup,
            cause);
  }

  /** Returns whether a lookup that sees {@code whole} also sees {@code type}. */
  private boolean isBeside(Class<?> type) {
    return type.getModule() == whole.getModule()
        && type.getPackageName().equals(whole.getPackageName());
  }

  // ---- sealed types ----

  private Part ofSealed(Class<?> type, Type generic, String path) {
    Map<Class<?>, Type> variants = new LinkedHashMap<>();
    addVariants(type, generic, variants);
    return within(
        type,
        generic,
        path,
        () -> {
          List<Class<?>> types = new ArrayList<>();
          List<Part> parts = new ArrayList<>();
          List<IllegalArgumentException> refusals = new ArrayList<>();
          variants.forEach(
              (variant, itsGeneric) -> {
                try {
                  types.add(variant);
                  parts.add(ofType(variant, itsGeneric, Size.UNKNOWN, variant.getSimpleName()));
                } catch (IllegalArgumentException e) {
                  refusals.add(e);
                }
              });
          Refusals.throwAny(refusals);
          return Variants.of(type, types, parts, path);
        });
  }

  /**
   * Collects the types that a value may have. A permitted subtype that is sealed itself is replaced
   * by the types that it permits.
   */
  private static void addVariants(Class<?> type, Type generic, Map<Class<?>, Type> variants) {
    if (!isSealed(type)) {
      variants.putIfAbsent(type, generic);
      return;
    }
    for (Class<?> permitted : type.getPermittedSubclasses()) {
      addVariants(permitted, TypeParameters.ofVariant(permitted, type, generic), variants);
    }
  }

  // ---- other types ----

  private Part ofType(Class<?> type, Type generic, Size size, String path) {
    Text text = size.text;
    Class<?> primitive = ValueTypes.unboxed(type);
    ValueTypes.Shape shape = ValueTypes.shape(type);
    Type content = contentOf(type, generic);
    if (TypeParameters.rawOf(content) != null) {
      return ofOptional(type, content, size, path);
    } else if (size.length > 0 && !type.isArray()) {
      throw refused("must be an array to be of a Length", path, type);
    } else if (text != null && type != String.class) {
      throw refused("must be a String to be of Utf8", path, type);
    } else if (text != null) {
      return rules.partOf(text);
    } else if (type.isPrimitive()) {
      return Part.ofPrimitive(type);
    } else if (primitive != null) {
      MethodHandle box = MethodHandles.identity(primitive);
      return Part.ofPrimitive(primitive)
          .mapped(
              box.asType(MethodType.methodType(primitive, type)),
              box.asType(MethodType.methodType(type, primitive)));
    } else if (type.isEnum()) {
      return ofEnum(type, path);
    } else if (type.isRecord()) {
      return ofRecord(type, generic, path);
    } else if (isSealed(type)) {
      return ofSealed(type, generic, path);
    } else if (shape != null) {
      List<Part> parts = new ArrayList<>();
      for (MethodHandle getter : shape.getters()) {
        Class<?> part = getter.type().returnType();
        parts.add(ofType(part, part, Size.UNKNOWN, path));
      }
      return shape.composed(parts);
    }
    Part unsized = rules.partOf(type, size.length, path);
    if (unsized != null) {
      return unsized;
    }
    if (generic instanceof TypeVariable<?> variable) {
      throw new IllegalArgumentException(
          "component "
              + path
              + ": the type "
              + variable
              + " is not known here, write a type that does not depend on a parameter");
    }
    String name = path.substring(path.lastIndexOf('.') + 1);
    String written = isOptional ? "Optional<String>" : "String";
    throw unfit(path, ValueTypes.advice(type, name, written));
  }

  /** Makes the exception that says why a component cannot be held and what to write instead. */
  private IllegalArgumentException unfit(String path, String advice) {
    return new IllegalArgumentException(
        "component "
            + path
            + ": "
            + advice
            + (rules.isStrict()
                ? ""
                : "; or hold it by reference, with QueueOptions.withReferences()"));
  }

  /**
   * Returns the type of an optional's content, or null if that is unknown or {@code type} is not an
   * optional.
   */
  private static Type contentOf(Class<?> type, Type generic) {
    Class<?> content = ValueTypes.content(type);
    return content != Object.class
        ? content
        : generic instanceof ParameterizedType typed ? typed.getActualTypeArguments()[0] : null;
  }

  private Part ofOptional(Class<?> type, Type content, Size size, String path) {
    boolean wasOptional = isOptional;
    isOptional = true;
    try {
      return ValueTypes.optional(
          type,
          TypeParameters.rawOf(content),
          ofType(TypeParameters.rawOf(content), content, size, path));
    } finally {
      isOptional = wasOptional;
    }
  }

  private static Part ofEnum(Class<?> type, String path) {
    Object[] constants = type.getEnumConstants();
    boolean isByte = constants.length <= BYTE_CONSTANTS;
    Class<?> stored = isByte ? byte.class : short.class;
    MethodHandle ordinal = Part.handle(RecordMapping.class, stored + "Ordinal", Enum.class);
    MethodHandle unsigned = Part.handle(isByte ? Byte.class : Short.class, "toUnsignedInt", stored);
    MethodHandle constant = MethodHandles.insertArguments(CONSTANT, 0, constants, path);
    return Part.ofPrimitive(stored)
        .mapped(
            ordinal.asType(MethodType.methodType(stored, type)),
            MethodHandles.filterReturnValue(
                unsigned, constant.asType(MethodType.methodType(type, int.class))));
  }

  /**
   * Makes the exception that says how to open {@code type} to this module. {@code remedy} is what
   * to call instead, or null if there is no alternative.
   */
  public static IllegalArgumentException notOpen(Class<?> type, String remedy, Exception cause) {
    return new IllegalArgumentException(
        "package must be open: write 'opens "
            + type.getPackageName()
            + " to dev.millrace.flyweight;' in module-info.java of "
            + type.getModule().getName()
            + (remedy == null ? "" : ", or " + remedy)
            + ": type="
            + type.getName(),
        cause);
  }

  private static IllegalArgumentException refused(String rule, String path, Class<?> type) {
    return new IllegalArgumentException(
        "component " + rule + ": component=" + path + ", type=" + type.getTypeName());
  }

  // ---- called by handles ----

  /**
   * Makes a handle of type {@code (T)T} that refuses null, unless T is primitive or a box. {@code
   * path} names the component in messages.
   */
  public static MethodHandle present(Class<?> type, String path) {
    return needsNoPresence(type)
        ? MethodHandles.identity(type)
        : MethodHandles.insertArguments(PRESENT, 0, path).asType(MethodType.methodType(type, type));
  }

  /**
   * Returns whether {@code type} needs no check for null: null is a valid value of a box, and
   * cannot occur in a primitive type.
   */
  private static boolean needsNoPresence(Class<?> type) {
    return type.isPrimitive() || ValueTypes.unboxed(type) != null;
  }

  /** Returns the handle {@code (T)boolean} that says whether a T is not null. */
  static MethodHandle isPresent(Class<?> type) {
    return IS_PRESENT.asType(MethodType.methodType(boolean.class, type));
  }

  static Object present(String path, Object value) {
    if (value == null) {
      throw new IllegalArgumentException("component must not be null: component=" + path);
    }
    return value;
  }

  @SuppressWarnings("EnumOrdinal") // what is stored, as the codec says
  static byte byteOrdinal(Enum<?> constant) {
    return (byte) constant.ordinal();
  }

  @SuppressWarnings("EnumOrdinal") // what is stored, as the codec says
  static short shortOrdinal(Enum<?> constant) {
    return (short) constant.ordinal();
  }

  static Object constant(Object[] constants, String path, int ordinal) {
    if (ordinal >= constants.length) {
      throw new IllegalStateException(
          "ordinal must be in 0.."
              + (constants.length - 1)
              + ": ordinal="
              + ordinal
              + ", component="
              + path);
    }
    return constants[ordinal];
  }

  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  private static final MethodHandle PRESENT =
      Part.handle(RecordMapping.class, "present", String.class, Object.class);
  private static final MethodHandle IS_PRESENT =
      Part.handle(Objects.class, "nonNull", Object.class);
  private static final MethodHandle CONSTANT =
      Part.handle(RecordMapping.class, "constant", Object[].class, String.class, int.class);
}
