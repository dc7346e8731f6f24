package dev.millrace.core.internal;

import java.io.IOException;
import java.io.InputStream;

/**
 * Classes of which copies are defined as hidden classes. A value that is fixed in each copy is a
 * constant to the just-in-time compiler; in one shared class it would be a variable.
 */
public final class Templates {
  private Templates() {}

  /** The bytes of a class's file, for defining a copy of it. */
  public static byte[] bytes(Class<?> template) {
    String name = template.getName();
    String file = name.substring(name.lastIndexOf('.') + 1).concat(".class");
    try (InputStream in = template.getResourceAsStream(file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new AssertionError(e); // it was loaded from there
    }
  }
}
