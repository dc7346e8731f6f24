/**
 * Common code of the producers and consumers of queues and rings, and the reading and writing of
 * Java records in memory. Exported to the sibling modules only.
 */
package dev.millrace.flyweight.internal;
