package dev.millrace.core.internal;

import dev.millrace.flyweight.internal.ClassGeneration;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reads template classes, whose copies are defined as hidden classes. A value that is fixed in a
 * copy is a constant to the just-in-time compiler. In one shared class it would be a variable.
 */
public final class Templates {
  private Templates() {}

  /** Returns the bytes of the class file of {@code template}, from which copies can be defined. */
  public static byte[] bytes(Class<?> template) {
    assert ClassGeneration.isOn() : template;
    String name = template.getName();
    String file = name.substring(name.lastIndexOf('.') + 1).concat(".class");
    try (InputStream in = template.getResourceAsStream(file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new AssertionError(e); // the class was loaded from there
    }
  }
}
