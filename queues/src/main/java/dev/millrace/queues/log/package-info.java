/**
 * A log of messages on disk. Messages are appended and read in place, in mapped files. Begin with
 * {@link dev.millrace.queues.log.MessageLog} in the process that writes, and with {@link
 * dev.millrace.queues.log.LogReader} in any other. One thread at a time appends, and any number of
 * readers follow. A committed message survives the end of the process, but it survives a crash of
 * the machine only once it is durable.
 *
 * <p>One process at a time has a log open for writing, and appends with its only {@link
 * dev.millrace.queues.log.LogProducer}. The messages have the same form as those of a {@link
 * dev.millrace.queues.messages.MessageQueue}. The memory model is that of {@link
 * dev.millrace.core}.
 *
 * @since 0.1.0
 */
@NullMarked
package dev.millrace.queues.log;

import org.jspecify.annotations.NullMarked;
