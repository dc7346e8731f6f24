/**
 * What {@code core}'s siblings share, exported to them only: memory and its ends of life, waiting,
 * fences, and the checks for overlapping calls.
 */
package dev.millrace.core.internal;
