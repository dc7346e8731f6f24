/**
 * Queues whose sides are objects: a {@link dev.millrace.core.Producer} at one end, a {@link
 * dev.millrace.core.Consumer} at the other. All queues will have this shape; {@link
 * dev.millrace.queues.ends.SpscQueue} and {@link dev.millrace.queues.ends.MpscQueue} are the first.
 */
package dev.millrace.queues.ends;
