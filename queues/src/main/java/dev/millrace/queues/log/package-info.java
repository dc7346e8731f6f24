/**
 * A log of messages on disk, written and read in place in mapped files.
 *
 * <p>A {@link dev.millrace.queues.log.MessageLog} is opened by one process for writing, and
 * appended to by its {@link dev.millrace.queues.log.LogProducer}. Any number of {@link
 * dev.millrace.queues.log.LogReader}s follow it, in any process. Its messages are those of a {@link
 * dev.millrace.queues.messages.MessageQueue}. The memory model is that of {@link
 * dev.millrace.core}.
 *
 * @since 0.1.0
 */
package dev.millrace.queues.log;
