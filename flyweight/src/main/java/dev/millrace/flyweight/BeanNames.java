package dev.millrace.flyweight;

import java.util.ArrayList;
import java.util.List;

/**
 * How the accessors of a field are named: {@code price()} and {@code price(v)}, or, as in a bean,
 * {@code getPrice()}, {@code isOpen()} and {@code setPrice(v)}, or a mixture of both.
 *
 * <p>A reader alone decides what its field is called, so that an interface which only reads has the
 * same layout as one that extends it and also writes. {@code isOpen()} reads the field {@code
 * isOpen}; there may also be a price {@code open()}.
 */
final class BeanNames {
  private static final String GET = "get";
  private static final String IS = "is";
  private static final String SET = "set";

  private BeanNames() {}

  /** Whether a name is that of a setter: {@code setPrice}, but not {@code settle}. */
  static boolean isSetter(String name) {
    return hasPrefix(name, SET);
  }

  /** The field that a method reads: {@code price} for {@code getPrice} and {@code price}. */
  static String fieldOfReader(String name) {
    return hasPrefix(name, GET) ? decapitalized(name.substring(GET.length())) : name;
  }

  /** The field that a method would write if another read it. */
  static String fieldOfWriter(String name) {
    return isSetter(name) ? decapitalized(name.substring(SET.length())) : name;
  }

  /** The names of the methods that may read what one of this name writes, the likeliest first. */
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
    names.remove("getClass"); // each object has it
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

  /** As java.beans.Introspector, which is in another module: {@code URL} stays as it is. */
  private static String decapitalized(String name) {
    boolean isAcronym =
        name.length() > 1
            && Character.isUpperCase(name.charAt(0))
            && Character.isUpperCase(name.charAt(1));
    return isAcronym ? name : Character.toLowerCase(name.charAt(0)) + name.substring(1);
  }
}
