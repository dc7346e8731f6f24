/**
 * A bounded queue of messages of any length, in off-heap memory.
 *
 * <p>{@link dev.millrace.queues.messages.MessageQueue} makes a {@link
 * dev.millrace.queues.messages.MessageProducer} and a {@link
 * dev.millrace.queues.messages.MessageConsumer} for each thread. An end hands out a {@link
 * dev.millrace.queues.messages.Message}, whose bytes are written and read in place: at offsets, one
 * after the other through a {@link dev.millrace.queues.messages.MessageCursor}, or through a view
 * of a record that lies in it.
 *
 * <pre>
 *  MessageProducer    claim a length, write, commit
 *        |
 *  MessageQueue       cells of 16 bytes, and an entry for each
 *        |
 *  MessageConsumer    poll, read, release
 * </pre>
 *
 * <p>For records of one size the queues in {@link dev.millrace.queues} cost less. A {@link
 * dev.millrace.queues.log.MessageLog} keeps messages on disk. The memory model is that of {@link
 * dev.millrace.core}.
 *
 * @since 0.1.0
 */
package dev.millrace.queues.messages;
