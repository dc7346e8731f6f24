package dev.millrace.stress.proof;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a scenario: a public method that sets up a simulation. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface About {
  /** What the scenario checks, in a sentence. */
  String value();
}
