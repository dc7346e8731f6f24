package dev.millrace.simulator.litmus;

import java.util.function.LongSupplier;

/**
 * A value and a flag that says that it is there, and the accesses of both.
 *
 * @param write writes the value, opaque
 * @param release sets the flag
 * @param set sets the flag, opaque
 * @param acquire reads the flag
 * @param get reads the flag, opaque
 * @param read reads the value, opaque
 */
record Message(
    Runnable write,
    Runnable release,
    Runnable set,
    LongSupplier acquire,
    LongSupplier get,
    LongSupplier read) {}
