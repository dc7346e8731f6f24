/**
 * Bounded queues that carry fixed-size records between threads in off-heap memory. Begin with
 * {@link dev.millrace.queues.SpscQueue} if there is one producer and one consumer, or with {@link
 * dev.millrace.queues.RecordQueue} to replace a {@link java.util.concurrent.BlockingQueue} that
 * carries Java records. Each thread uses its own producer or consumer. The view that a thread gets
 * from a claim or a poll is valid until the commit or the release. {@code close()} frees the
 * memory, so stop both sides first.
 *
 * <table>
 * <caption>Choosing a queue</caption>
 * <tr><th>type</th><th>producers</th><th>consumers</th><th>when full</th></tr>
 * <tr><td>{@link dev.millrace.queues.SpscQueue}</td><td>one</td><td>one</td>
 *     <td>the producer waits, the claim fails, or the record is dropped</td></tr>
 * <tr><td>{@link dev.millrace.queues.MpscQueue}</td><td>any</td><td>one</td>
 *     <td>the producer waits, the claim fails, or the record is dropped</td></tr>
 * <tr><td>{@link dev.millrace.queues.MpmcQueue}</td><td>any</td><td>any; each record goes to
 * one</td>
 *     <td>the same, or the oldest records are dropped</td></tr>
 * <tr><td>{@link dev.millrace.queues.KFifoQueue}</td><td>any</td><td>any, each record goes to one,
 *     nearly in order</td>
 *     <td>the producer waits, the claim fails, or the record is dropped</td></tr>
 * <tr><td>{@link dev.millrace.queues.ShardedQueue}</td><td>any</td><td>one for each shard</td>
 *     <td>as in {@code MpscQueue}, shard by shard</td></tr>
 * </table>
 *
 * <p>A {@code RecordQueue} has no producer or consumer objects. Any thread may call it, and it may
 * be closed while both sides are working. The memory model is that of {@link dev.millrace.core}.
 *
 * <p>Three more packages belong to this module. {@link dev.millrace.queues.messages} contains a
 * queue for variable-length messages. {@link dev.millrace.queues.history} contains a ring that
 * keeps the latest records for any number of readers. {@link dev.millrace.queues.log} contains a
 * log that keeps messages on disk.
 *
 * @since 0.1.0
 */
@NullMarked
package dev.millrace.queues;

import org.jspecify.annotations.NullMarked;
