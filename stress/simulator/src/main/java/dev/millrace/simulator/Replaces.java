package dev.millrace.simulator;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a public static method that woven code calls instead of another one: the method of the same
 * name, with the same result and parameters, those of an instance after the receiver.
 *
 * <pre>{@code
 * public final class Replacements {
 *   @Replaces(Clock.class) // of the code under test
 *   public static long currentMillis() {
 *     return 0;
 *   }
 * }
 * }</pre>
 *
 * @see Weaving#replacing
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Replaces {
  /**
   * The class whose method is replaced.
   *
   * @return the class that calls name
   */
  Class<?> value();

  /**
   * Whether the method that is replaced is static.
   *
   * @return false if the first parameter is its receiver
   */
  boolean isStatic() default true;
}
