/**
 * A log of messages on disk, which is appended to and read in place in mapped files. Begin with
 * {@link dev.millrace.queues.log.MessageLog} in the process that writes, and with {@link
 * dev.millrace.queues.log.LogReader} in any other. One thread at a time appends, any number of
 * readers follow, and a committed message survives the process at once, but the machine only when
 * it is durable.
 *
 * <p>One process at a time has a log open for writing, and appends with its one {@link
 * dev.millrace.queues.log.LogProducer}. The messages are those of a {@link
 * dev.millrace.queues.messages.MessageQueue}. The memory model is that of {@link
 * dev.millrace.core}.
 *
 * @since 0.1.0
 */
package dev.millrace.queues.log;
