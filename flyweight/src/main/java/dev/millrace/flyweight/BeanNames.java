package dev.millrace.flyweight;

import java.util.ArrayList;
import java.util.List;

/**
 * Relates the names of accessors to the names of fields. Accessors may be named {@code price()} and
 * {@code price(v)}, or, as in a bean, {@code getPrice()}, {@code isOpen()} and {@code setPrice(v)},
 * or a mixture of both.
 *
 * <p>The reading method alone decides what its field is called. An interface that only reads
 * therefore has the same layout as one that extends it and also writes. {@code isOpen()} reads the
 * field {@code isOpen}, not {@code open}, because the interface may also have a price {@code
 * open()}.
 */
final class BeanNames {
  private static final String GET = "get";
  private static final String IS = "is";
  private static final String SET = "set";

  private BeanNames() {}

  /**
   * Returns whether {@code name} is a setter's name, like {@code setPrice} but unlike {@code
   * settle}.
   */
  static boolean isSetter(String name) {
    return hasPrefix(name, SET);
  }

  /**
   * Returns the field that the method {@code name} reads: {@code price} for {@code getPrice} and
   * {@code price}.
   */
  static String fieldOfReader(String name) {
    return hasPrefix(name, GET) ? decapitalized(name.substring(GET.length())) : name;
  }

  /**
   * Returns the field that the method {@code name} would write if some other method read that
   * field.
   */
  static String fieldOfWriter(String name) {
    return isSetter(name) ? decapitalized(name.substring(SET.length())) : name;
  }

  /**
   * Returns the names of the methods that may read what the method {@code writer} writes, with the
   * likeliest name first.
   */
  static List<String> readersFor(String writer) {
    List<String> names = new ArrayList<>();
    String property = isSetter(writer) ? writer.substring(SET.length()) : capitalized(writer);
    if (!isSetter(writer)) {
      names.add(writer);
    }
    names.add(GET + property);
    names.add(IS + property);
    if (isSetter(writer)) {
      names.add(decapitalized(property));
    }
    names.remove("getClass"); // every object has this method
    return names;
  }

  private static boolean hasPrefix(String name, String prefix) {
    return name.startsWith(prefix)
        && name.length() > prefix.length()
        && !Character.isLowerCase(name.codePointAt(prefix.length()));
  }

  private static String capitalized(String name) {
    return Character.toUpperCase(name.charAt(0)) + name.substring(1);
  }

  /**
   * Does the same as java.beans.Introspector, which is in a module not required here. {@code URL}
   * stays unchanged.
   */
  private static String decapitalized(String name) {
    boolean isAcronym =
        name.length() > 1
            && Character.isUpperCase(name.charAt(0))
            && Character.isUpperCase(name.charAt(1));
    return isAcronym ? name : Character.toLowerCase(name.charAt(0)) + name.substring(1);
  }
}
