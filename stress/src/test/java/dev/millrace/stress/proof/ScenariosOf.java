package dev.millrace.stress.proof;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class of scenarios, each a method with {@link About}. It has a constructor without
 * parameters, and may inherit scenarios that it shares with others.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface ScenariosOf {
  /** The simple name of the type that they check. */
  String value();

  /** Which kind of it, at the end of the scenarios' names; empty if there is one. */
  String kind() default "";
}
