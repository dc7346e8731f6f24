/**
 * A bounded queue that carries messages of any length between threads in off-heap memory. Begin
 * with {@link dev.millrace.queues.messages.MessageQueue}. Its factories say how many producers and
 * consumers there are, and it makes one for each thread. A {@link
 * dev.millrace.queues.messages.Message} is a view of the queue's memory. It belongs to the thread
 * of its producer or consumer, and shows a message until the commit or release.
 *
 * <pre>
 *  MessageProducer    claim a length, write, commit
 *        |
 *  MessageQueue       cells of 16 bytes, and an entry for each
 *        |
 *  MessageConsumer    poll, read, release
 * </pre>
 *
 * <p>The bytes of a message are written and read at offsets, or one value after the other through a
 * {@link dev.millrace.queues.messages.MessageCursor}, or through a view of a record.
 *
 * <p>For records of a fixed size, the queues in {@link dev.millrace.queues} cost less. A {@link
 * dev.millrace.queues.log.MessageLog} keeps messages on disk. The memory model is that of {@link
 * dev.millrace.core}.
 *
 * @since 0.1.0
 */
package dev.millrace.queues.messages;
