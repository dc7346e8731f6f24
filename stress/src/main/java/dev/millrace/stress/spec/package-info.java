/**
 * Executable specifications: each judges what threads wrote down about their calls, without the
 * structure itself, so that any program can use it.
 */
package dev.millrace.stress.spec;
