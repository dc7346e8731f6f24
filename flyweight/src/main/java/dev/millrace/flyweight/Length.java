package dev.millrace.flyweight;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a field of an interface an array: see {@link FlyweightType}. On a field or a component that
 * is an array itself, it says how many elements it may have. In a queue of records, a longer one is
 * kept on the heap.
 *
 * @since 0.1.0
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({
  ElementType.METHOD,
  ElementType.RECORD_COMPONENT,
  ElementType.FIELD, // of a Kotlin property
  ElementType.PARAMETER
})
public @interface Length {
  /**
   * The number of elements.
   *
   * @return the number, at least 1
   */
  int value();
}
