package dev.millrace.simulator;

import java.lang.annotation.Annotation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which classes a {@link WovenLoader} weaves, and how. Immutable.
 *
 * <pre>{@code
 * Weaving weaving =
 *     Weaving.of("org.example.queue.", "org.example.scenario.")
 *         .speculative(Validated.class)
 *         .replacing(Replacements.class);
 * }</pre>
 */
public final class Weaving {
  private final List<String> packages;
  private final Set<String> speculative; // descriptors of annotations
  private final Map<String, Class<?>> replacements; // by what they replace: owner.name(type)type

  private Weaving(
      List<String> packages, Set<String> speculative, Map<String, Class<?>> replacements) {
    this.packages = packages;
    this.speculative = speculative;
    this.replacements = replacements;
  }

  /**
   * Weaves the classes whose names begin with one of some prefixes: the code under test and the
   * scenarios. All others are shared with the rest of the JVM, and what they do is not simulated.
   *
   * @param prefixes the beginnings of names, such as {@code "org.example."}
   * @return the weaving
   */
  public static Weaving of(String... prefixes) {
    return new Weaving(List.of(prefixes), Set.of(), Map.of());
  }

  /**
   * Lets methods with an annotation read speculatively, as the reader of a sequence lock does:
   * their plain reads through handles and of memory segments may race with writes, and then return
   * any mixture of old and new values.
   *
   * @param annotation an annotation of methods, kept in class files
   * @return another weaving
   * @throws IllegalArgumentException if class files do not keep it
   */
  public Weaving speculative(Class<? extends Annotation> annotation) {
    Retention retention = annotation.getAnnotation(Retention.class);
    if (retention != null && retention.value() == RetentionPolicy.SOURCE) {
      throw new IllegalArgumentException(
          "annotation is not kept in class files: " + annotation.getName());
    }
    Set<String> more = new HashSet<>(speculative);
    more.add(annotation.descriptorString());
    return new Weaving(packages, Set.copyOf(more), replacements);
  }

  /**
   * Lets woven code call other methods instead of some: for what the code under test does by means
   * that no simulation sees, and for methods of the JDK that the simulator does not support.
   *
   * @param holder a public class, not woven, whose methods are marked {@link Replaces}; their
   *     parameters and results are of classes that are not woven either
   * @return another weaving
   * @throws IllegalArgumentException if the class replaces nothing, or a method of it cannot be
   *     called
   */
  public Weaving replacing(Class<?> holder) {
    Map<String, Class<?>> more = new HashMap<>(replacements);
    Map<String, String> found = replacedBy(holder);
    if (found.isEmpty()) {
      throw new IllegalArgumentException("no method is marked @Replaces: " + holder.getName());
    }
    if (isWoven(holder.getName())) {
      throw new IllegalArgumentException("replacements must not be woven: " + holder.getName());
    }
    for (Method method : holder.getDeclaredMethods()) {
      if (method.isAnnotationPresent(Replaces.class)
          && !(Modifier.isPublic(holder.getModifiers())
              && Modifier.isPublic(method.getModifiers())
              && Modifier.isStatic(method.getModifiers()))) {
        throw new IllegalArgumentException("replacement must be public and static: " + method);
      }
    }
    found.keySet().forEach(replaced -> more.put(replaced, holder));
    return new Weaving(packages, speculative, Map.copyOf(more));
  }

  /** The names of a class's methods by what they replace. */
  static Map<String, String> replacedBy(Class<?> holder) {
    Map<String, String> replaced = new HashMap<>();
    for (Method method : holder.getDeclaredMethods()) {
      Replaces replaces = method.getAnnotation(Replaces.class);
      if (replaces != null) {
        MethodTypeDesc type =
            MethodTypeDesc.ofDescriptor(
                MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                    .descriptorString());
        if (!replaces.isStatic()) {
          type = type.dropParameterTypes(0, 1);
        }
        String owner = replaces.value().getName().replace('.', '/');
        replaced.put(key(owner, method.getName(), type.descriptorString()), method.getName());
      }
    }
    return replaced;
  }

  static String key(String owner, String name, String descriptor) {
    return owner + "." + name + descriptor;
  }

  /** Whether a class, by its name with dots, is woven. */
  boolean isWoven(String name) {
    for (String prefix : packages) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }

  boolean isSpeculative(String annotationDescriptor) {
    return speculative.contains(annotationDescriptor);
  }

  /** The class with the method to be called instead of one; null if that is not replaced. */
  ClassDesc replacement(String key) {
    Class<?> holder = replacements.get(key);
    return holder == null ? null : ClassDesc.of(holder.getName());
  }
}
