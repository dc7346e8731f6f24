package dev.millrace.core.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method whose plain reads may race with writes. The race is harmless, because the values
 * are validated before they are used, as in a sequence lock. The annotation is for readers of the
 * code and for race detectors.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Speculative {}
