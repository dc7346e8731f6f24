/** Sequences, owned off-heap memory and wait strategies. */
package dev.millrace.core;
