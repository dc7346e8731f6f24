/**
 * Records and typed views of them. A {@link dev.millrace.flyweight.RecordLayout} gives a record's
 * bytes names, types and offsets; a {@link dev.millrace.flyweight.Flyweight} is a window through
 * which one thread reads and writes a record in place. {@link dev.millrace.flyweight.FlyweightType}
 * generates a flyweight for an interface; this one is written by hand:
 *
 * {@snippet file="Examples.java" region="by-hand"}
 *
 * {@snippet file="Examples.java" region="move"}
 *
 * <p>Nothing here synchronizes threads: layouts are immutable, and a flyweight belongs to one
 * thread at a time. The queue that holds a record decides when it may be accessed.
 */
package dev.millrace.flyweight;
