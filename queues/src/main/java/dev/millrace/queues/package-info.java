/** Off-heap queues and the history ring. */
package dev.millrace.queues;
