/**
 * What {@code core} shares with its sibling modules: native memory, lifecycles, waiting, fences,
 * and checks for overlapping calls. Exported to those modules only.
 */
package dev.millrace.core.internal;
