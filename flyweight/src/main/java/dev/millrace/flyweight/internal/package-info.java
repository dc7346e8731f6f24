/**
 * What the ends of queues and rings have in common, and how Java records are written to memory and
 * read from it. Exported to the sibling modules only.
 */
package dev.millrace.flyweight.internal;
