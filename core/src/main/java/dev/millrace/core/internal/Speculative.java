package dev.millrace.core.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method whose plain reads may race with writes, because what they read is validated before
 * it is used, as in a sequence lock. For the reader of the code, and for tools that look for races.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Speculative {}
