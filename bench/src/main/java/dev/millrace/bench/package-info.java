/** Millrace bench. */
package dev.millrace.bench;
