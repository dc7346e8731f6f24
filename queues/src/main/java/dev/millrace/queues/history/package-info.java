/**
 * A ring in off-heap memory that keeps the latest records. Any number of readers can read all of
 * the records that the ring holds. Begin with {@link dev.millrace.queues.history.HistoryRing}, for
 * one writing thread or for many. A {@link dev.millrace.queues.history.HistoryProducer} never waits
 * and overwrites the oldest record, so a {@link dev.millrace.queues.history.HistoryReader} that is
 * too slow loses records and counts them.
 *
 * <p>A reader can go back to anything that the ring still holds: to the latest records, to a
 * sequence or to a time. Each producer and each reader belongs to one thread at a time.
 *
 * <p>A ring can be in a file that several processes share. There a reader may have a name, under
 * which its position survives it.
 *
 * <p>Where no record may be lost, use one of the queues in {@link dev.millrace.queues}. The memory
 * model is that of {@link dev.millrace.core}.
 *
 * @since 0.1.0
 */
@NullMarked
package dev.millrace.queues.history;

import org.jspecify.annotations.NullMarked;
