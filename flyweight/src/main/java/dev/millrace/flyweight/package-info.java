/**
 * Typed views of fixed-size records in off-heap memory. Programs read and write records in place
 * through these views. Begin with {@link dev.millrace.flyweight.FlyweightType}, which implements an
 * interface of yours as a view of a record. A view belongs to one thread at a time and synchronizes
 * nothing. The queue that holds a record decides when a thread may access it.
 *
 * <p>A {@link dev.millrace.flyweight.RecordLayout} gives a record's bytes names, types and offsets.
 * For a layout of your own, write a subclass of {@link dev.millrace.flyweight.Flyweight}:
 *
 * {@snippet file="Examples.java" region="by-hand"}
 *
 * {@snippet file="Examples.java" region="move"}
 *
 * <p>Each access is checked against the bounds of the memory.
 *
 * @since 0.1.0
 */
@NullMarked
package dev.millrace.flyweight;

import org.jspecify.annotations.NullMarked;
