package dev.millrace.flyweight;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Turns a field of an interface into an array, as {@link FlyweightType} describes. On a field or a
 * record component that is itself an array, the annotation limits the number of elements. By
 * default, a queue of Java records keeps a record with a longer array on the heap: see {@link
 * OnOversize}.
 *
 * @since 0.1.0
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({
  ElementType.METHOD,
  ElementType.RECORD_COMPONENT,
  ElementType.FIELD, // for Kotlin properties
  ElementType.PARAMETER
})
public @interface Length {
  /**
   * Returns the number of elements.
   *
   * @return the number, at least 1
   */
  int value();
}
