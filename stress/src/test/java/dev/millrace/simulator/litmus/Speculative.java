package dev.millrace.simulator.litmus;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks methods whose plain reads may race, for they are validated afterwards. */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
@interface Speculative {}
