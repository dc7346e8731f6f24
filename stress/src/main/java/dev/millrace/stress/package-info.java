/** Millrace stress. */
package dev.millrace.stress;
