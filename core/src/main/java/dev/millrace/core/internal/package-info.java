/** The parts that rings are made of; for the sibling modules only. */
package dev.millrace.core.internal;
