/**
 * A ring that keeps the latest records, in off-heap memory, for any number of readers.
 *
 * <p>A {@link dev.millrace.queues.history.HistoryRing} has no back-pressure: a {@link
 * dev.millrace.queues.history.HistoryProducer} never waits, and overwrites the oldest record. Each
 * {@link dev.millrace.queues.history.HistoryReader} sees every record or counts it as lost, and can
 * go back to what is still there: to the latest records, to a sequence or to a time.
 *
 * <p>Where no record may be lost, use one of the queues in {@link dev.millrace.queues}. The memory
 * model is that of {@link dev.millrace.core}.
 *
 * @since 0.1.0
 */
package dev.millrace.queues.history;
