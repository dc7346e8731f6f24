package dev.millrace.flyweight;

import dev.millrace.flyweight.ValueTypes.Shape;
import java.lang.foreign.GroupLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How the components of a record class are laid out, checked, written and read.
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

  /**
   * Maps a class.
   *
   * @param lookup sees its accessors and constructors; null for what this module may open
   * @throws IllegalArgumentException if a component cannot be mapped, or not be seen
   */
  static RecordMapping of(Class<? extends Record> type, MethodHandles.Lookup lookup) {
    Part part = new Walk(type, lookup).ofRecord(type, type.getSimpleName());
    MethodHandle writer = part.values().writer();
    return new RecordMapping(
        RecordLayout.of((GroupLayout) part.layout()),
        part.values().checker().asType(MethodType.methodType(void.class, Object.class)),
        writer.asType(writer.type().changeParameterType(2, Object.class)),
        part.reader().asType(part.reader().type().changeReturnType(Object.class)),
        part.values());
  }

  /** Maps an enum or a value of the JDK; returns null for other types. */
  static Part ofValue(Class<?> type, String path) {
    boolean isValue = type.isEnum() || ValueTypes.shape(type) != null;
    return isValue ? new Walk(type, null).ofType(type, type, null, path) : null;
  }

  /** Returns what an optional may hold; null if that is unknown, or it is none. */
  private static Type contentOf(Class<?> type, Type generic) {
    Class<?> content = ValueTypes.content(type);
    return content != Object.class
        ? content
        : generic instanceof ParameterizedType typed ? typed.getActualTypeArguments()[0] : null;
  }

  private static Class<?> rawOf(Type type) {
    return type instanceof Class<?> known
        ? known
        : type instanceof ParameterizedType typed ? (Class<?>) typed.getRawType() : null;
  }

  /** Text as an annotation describes it. */
  private record Text(Class<?> code, Class<?> annotation, int sizeBytes) {
    static Text of(RecordComponent component, String path) {
      Ascii ascii = component.getAnnotation(Ascii.class);
      Utf8 utf8 = component.getAnnotation(Utf8.class);
      if (ascii != null && utf8 != null) {
        throw refused("must be of Ascii or of Utf8", path, component.getType());
      } else if (ascii != null) {
        return new Text(AsciiText.class, Ascii.class, ascii.value());
      }
      return utf8 == null ? null : new Text(Utf8Text.class, Utf8.class, utf8.value());
    }

    Part part(String path) {
      if (sizeBytes < 1) {
        String name = annotation.getSimpleName();
        throw new IllegalArgumentException(
            name + " must be at least 1: " + name + "=" + sizeBytes + ", component=" + path);
      }
      return Part.ofText(code, sizeBytes, path);
    }

    /** {@code (String)String}. */
    MethodHandle checked(String path) {
      MethodHandle check =
          Part.own(code, "check", void.class, int.class, String.class, CharSequence.class);
      return MethodHandles.foldArguments(
          MethodHandles.identity(String.class),
          MethodHandles.insertArguments(check, 0, sizeBytes, path)
              .asType(MethodType.methodType(void.class, String.class)));
    }
  }

  /** A walk through a record class and those that it contains. */
  private static final class Walk {
    private final Class<?> whole;
    private final MethodHandles.Lookup lookup;
    private final List<Class<?>> containing = new ArrayList<>();

    /** How many optionals contain what is mapped now; if any, it may be read from null. */
    private int optionals;

    Walk(Class<?> whole, MethodHandles.Lookup lookup) {
      this.whole = whole;
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
      List<String> names = new ArrayList<>();
      List<MethodHandle> getters = new ArrayList<>();
      List<Part> parts = new ArrayList<>();
      for (RecordComponent component : components) {
        Class<?> its = component.getType();
        String itsPath = path + "." + component.getName();
        boolean mayBeNull = its.isPrimitive() || ValueTypes.unboxed(its) != null;
        MethodHandle accessor = accessor(component);
        names.add(component.getName());
        parts.add(ofComponent(component, itsPath));
        getters.add(
            mayBeNull
                ? accessor
                : MethodHandles.filterReturnValue(accessor, present(its, itsPath)));
      }
      containing.removeLast();
      return ofParts(new Shape(names, getters, constructor(type, components)), parts);
    }

    private Part ofParts(Shape shape, List<Part> parts) {
      return Part.composed(
          shape.names(),
          shape.getters().stream().map(this::safe).toList(),
          parts,
          readers -> Part.made(shape.maker(), readers));
    }

    private MethodHandle safe(MethodHandle getter) {
      return optionals > 0 ? Part.orZero(getter) : getter;
    }

    private Part ofComponent(RecordComponent component, String path) {
      Class<?> type = component.getType();
      Part part = ofType(type, component.getGenericType(), Text.of(component, path), path);
      if (ValueTypes.unboxed(type) == null) {
        return part;
      }
      MethodHandle same = MethodHandles.identity(type);
      MethodHandle none = MethodHandles.zero(type);
      return Part.optional(Part.isPresent(type), same, part, same, none);
    }

    private Part ofType(Class<?> type, Type generic, Text text, String path) {
      Class<?> primitive = ValueTypes.unboxed(type);
      Shape shape = ValueTypes.shape(type);
      Type content = contentOf(type, generic);
      if (rawOf(content) != null) {
        return ofOptional(type, content, text, path);
      } else if (text != null && type != String.class) {
        throw refused("must be a String to be of " + text.annotation.getSimpleName(), path, type);
      } else if (text != null) {
        return text.part(path)
            .mapped(
                safe(text.checked(path))
                    .asType(MethodType.methodType(CharSequence.class, String.class)),
                MethodHandles.identity(String.class));
      } else if (type.isPrimitive()) {
        return Part.ofPrimitive(type);
      } else if (primitive != null) {
        MethodHandle box = MethodHandles.identity(primitive);
        return Part.ofPrimitive(primitive)
            .mapped(
                Part.orZero(box.asType(MethodType.methodType(primitive, type))),
                box.asType(MethodType.methodType(type, primitive)));
      } else if (type.isEnum()) {
        return ofEnum(type, path);
      } else if (type.isRecord()) {
        return ofRecord(type, path);
      } else if (shape != null) {
        return ofParts(
            shape,
            shape.getters().stream()
                .<Class<?>>map(getter -> getter.type().returnType())
                .map(part -> ofType(part, part, null, path))
                .toList());
      }
      String name = path.substring(path.lastIndexOf('.') + 1);
      throw new IllegalArgumentException(
          "component "
              + path
              + ": "
              + ValueTypes.advice(type, name, optionals > 0 ? "Optional<String>" : "String"));
    }

    private Part ofOptional(Class<?> type, Type content, Text text, String path) {
      optionals++;
      Part value = ofType(rawOf(content), content, text, path);
      optionals--;
      return ValueTypes.optional(type, rawOf(content), value, this::safe);
    }

    private Part ofEnum(Class<?> type, String path) {
      Object[] constants = type.getEnumConstants();
      boolean isByte = constants.length <= BYTE_CONSTANTS;
      Class<?> stored = isByte ? byte.class : short.class;
      MethodHandle ordinal =
          Part.own(ComponentAccess.class, stored + "Ordinal", stored, Enum.class);
      MethodHandle constant =
          Part.own(
              ComponentAccess.class,
              "constant",
              Object.class,
              Object[].class,
              String.class,
              stored);
      return Part.ofPrimitive(stored)
          .mapped(
              safe(ordinal.asType(MethodType.methodType(stored, type))),
              MethodHandles.insertArguments(constant, 0, constants, path)
                  .asType(MethodType.methodType(type, stored)));
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

    private IllegalArgumentException unseen(Class<?> type, Exception cause) {
      return lookup == null
          ? notOpen("RecordCodec", whole, type, cause)
          : new IllegalArgumentException(
              "record must be seen by the lookup: record=" + type.getName() + ", lookup=" + lookup,
              cause);
    }
  }

  /**
   * Tells how a module lets us see its types.
   *
   * @param factory what may be given a lookup, too
   * @param whole what it shall be called with
   * @param type what cannot be seen
   */
  static IllegalArgumentException notOpen(
      String factory, Class<?> whole, Class<?> type, Exception cause) {
    return new IllegalArgumentException(
        "package must be open: write 'opens "
            + type.getPackageName()
            + " to dev.millrace.flyweight;' in module-info.java, or "
            + factory
            + ".of("
            + whole.getSimpleName()
            + ".class, MethodHandles.lookup()): type="
            + type.getName(),
        cause);
  }

  /** {@code (T)T}: refuses null. */
  static MethodHandle present(Class<?> type, String path) {
    return MethodHandles.insertArguments(PRESENT, 0, path)
        .asType(MethodType.methodType(type, type));
  }

  private static IllegalArgumentException refused(String rule, String path, Class<?> type) {
    return new IllegalArgumentException(
        "component " + rule + ": component=" + path + ", type=" + type.getTypeName());
  }

  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  private static final MethodHandle PRESENT =
      Part.own(ComponentAccess.class, "present", Object.class, String.class, Object.class);
}
