package dev.millrace.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.CodeAttribute;
import java.util.List;

/**
 * How long the code of methods is. HotSpot takes the access to a record for a rare call if most
 * claims or polls found nothing while it looked, and inlines no more than {@code MaxInlineSize}
 * bytes there. What is not inlined costs a run three quarters of its speed.
 */
public final class CodeSizes {
  /** The most bytes of code that HotSpot inlines at a rare call. */
  public static final int MAX_INLINE_SIZE = 35;

  private CodeSizes() {}

  /**
   * The sizes of a class's own methods, in bytes.
   *
   * @param names a regular expression for the methods' names
   */
  public static List<Integer> of(Class<?> type, String names) throws IOException {
    String file = type.getName().substring(type.getPackageName().length() + 1) + ".class";
    try (InputStream in = type.getResourceAsStream(file)) {
      return ClassFile.of().parse(in.readAllBytes()).methods().stream()
          .filter(method -> method.methodName().stringValue().matches(names))
          .map(method -> ((CodeAttribute) method.code().orElseThrow()).codeLength())
          .toList();
    }
  }
}
