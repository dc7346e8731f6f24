/**
 * How Java records are written to memory and read from it, and what all modules share: {@code
 * Checks} words broken rules, {@code ClosedMemory} knows who closed which memory. Exported to the
 * sibling modules only.
 */
package dev.millrace.flyweight.internal;
