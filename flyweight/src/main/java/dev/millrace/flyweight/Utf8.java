package dev.millrace.flyweight;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Stores a {@code String} as UTF-8 text in a field of a fixed size. ASCII text takes one byte per
 * character. Text shorter than the field is padded with zeros, so text must not contain NUL.
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
public @interface Utf8 {
  /**
   * Returns the size of the field.
   *
   * @return the size in bytes, at least 1
   */
  int value();
}
