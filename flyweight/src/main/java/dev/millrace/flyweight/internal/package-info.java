/**
 * Writes Java records to memory and reads them from it. All modules share {@code Checks}, which
 * reports broken rules, and {@code ClosedMemory}, which knows who closed which memory. Exported to
 * the sibling modules only.
 */
package dev.millrace.flyweight.internal;
