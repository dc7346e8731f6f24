package dev.millrace.flyweight.internal;

/**
 * Says whether this library may make classes at run time. A native image cannot. In a JVM, the
 * system property {@value #PROPERTY} switches it off, so that a program can be tested there without
 * what an image lacks. The properties are read once.
 *
 * <p>Where a generated class only makes code faster, callers ask {@link #isOn} and otherwise use a
 * class that was compiled. Where there is no other class, they call {@link #require} before they
 * change anything.
 */
public final class ClassGeneration {
  /** The system property that switches generation off if it is {@code false}. */
  public static final String PROPERTY = "millrace.generateClasses";

  /** Set by GraalVM while it builds a native image, and in the image. */
  private static final String IMAGE = "org.graalvm.nativeimage.imagecode";

  private static final String OBSTACLE =
      obstacle(System.getProperty(PROPERTY), System.getProperty(IMAGE)); // null if it is on

  private ClassGeneration() {}

  /** Returns what rules generation out, given the values of both properties, or null. */
  static String obstacle(String generate, String image) {
    if (image != null) {
      return "a native image";
    }
    return "false".equalsIgnoreCase(generate) ? PROPERTY + "=false" : null;
  }

  /** Returns whether classes may be made at run time. */
  public static boolean isOn() {
    return OBSTACLE == null;
  }

  /**
   * Throws {@link UnsupportedOperationException} if no class may be made at run time. The message
   * is one sentence.
   *
   * @param what what the user asked for
   * @param instead what the user can do instead, as an imperative
   */
  public static void require(String what, String instead) {
    if (OBSTACLE != null) {
      throw new UnsupportedOperationException(refusal(what, OBSTACLE, instead));
    }
  }

  static String refusal(String what, String obstacle, String instead) {
    return what + " needs a class made at run time, which " + obstacle + " rules out: " + instead;
  }
}
