package dev.millrace.flyweight.internal;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Knows what the parameters of generic types stand for, as far as the types that use them say so.
 */
final class TypeParameters {
  private final Map<TypeVariable<?>, Type> known = new HashMap<>();

  /**
   * Notes what the parameters of {@code type} stand for in {@code generic}, until it is noted
   * again.
   */
  void note(Class<?> type, Type generic) {
    TypeVariable<?>[] parameters = type.getTypeParameters();
    for (int i = 0; i < parameters.length; i++) {
      if (generic instanceof ParameterizedType typed) {
        known.put(parameters[i], resolved(typed.getActualTypeArguments()[i]));
      } else {
        known.remove(parameters[i]);
      }
    }
  }

  /**
   * Replaces each type parameter by what it stands for, if that is known, and each wildcard by its
   * bound.
   */
  Type resolved(Type type) {
    return switch (type) {
      case TypeVariable<?> variable -> known.getOrDefault(variable, variable);
      case WildcardType wildcard when wildcard.getUpperBounds()[0] != Object.class ->
          resolved(wildcard.getUpperBounds()[0]);
      case ParameterizedType typed -> {
        List<Type> arguments =
            Arrays.stream(typed.getActualTypeArguments()).map(this::resolved).toList();
        yield new Arguments((Class<?>) typed.getRawType(), arguments);
      }
      default -> type;
    };
  }

  /**
   * Returns {@code variant} with its type arguments, as far as the variant passes its parameters on
   * to {@code whole} and {@code generic} says what they stand for.
   */
  static Type ofVariant(Class<?> variant, Class<?> whole, Type generic) {
    if (!(generic instanceof ParameterizedType typed)) {
      return variant;
    }
    List<Type> settled = List.of(typed.getActualTypeArguments());
    List<Type> passed =
        Stream.of(variant.getGenericInterfaces())
            .filter(parent -> parent instanceof ParameterizedType its && its.getRawType() == whole)
            .flatMap(parent -> Stream.of(((ParameterizedType) parent).getActualTypeArguments()))
            .toList();
    List<Type> arguments =
        Stream.of(variant.getTypeParameters())
            .<Type>map(own -> passed.contains(own) ? settled.get(passed.indexOf(own)) : own)
            .toList();
    return new Arguments(variant, arguments);
  }

  /** Returns the class of {@code type}, or null if it is unknown. */
  static Class<?> rawOf(Type type) {
    return type instanceof ParameterizedType typed
        ? (Class<?>) typed.getRawType()
        : type instanceof Class<?> known ? known : null;
  }

  /** A type with its parameters filled in. */
  private record Arguments(Class<?> getRawType, List<Type> arguments) implements ParameterizedType {
    @Override
    public Type[] getActualTypeArguments() {
      return arguments.toArray(Type[]::new);
    }

    @Override
    public Type getOwnerType() {
      return null;
    }
  }
}
