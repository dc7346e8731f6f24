/**
 * A bounded queue in off-heap memory that carries messages of any length between threads or, in a
 * file, between two processes. Begin with {@link dev.millrace.queues.messages.MessageQueue}. The
 * factory method of a queue determines whether the queue has one or many producers and consumers.
 * Each thread uses its own producer or consumer. A {@link dev.millrace.queues.messages.Message} is
 * a view of the queue's memory that belongs to the thread of its producer or consumer, and shows a
 * message until the message is committed or released.
 *
 * <pre>
 *  MessageProducer    claim a length, write, commit
 *        |
 *  MessageQueue       cells of 16 bytes, and an entry for each
 *        |
 *  MessageConsumer    poll, read, release
 * </pre>
 *
 * <p>A program accesses the bytes of a message at offsets, in sequence through a {@link
 * dev.millrace.queues.messages.MessageCursor}, or through a view of a record.
 *
 * <p>For records of a fixed size, the queues in {@link dev.millrace.queues} cost less. A {@link
 * dev.millrace.queues.log.MessageLog} keeps messages on disk. The memory model is that of {@link
 * dev.millrace.core}.
 *
 * @since 0.1.0
 */
@NullMarked
package dev.millrace.queues.messages;

import org.jspecify.annotations.NullMarked;
