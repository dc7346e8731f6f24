/**
 * The parts that rings are made of, exported to the sibling modules only. {@code Ring} defines what
 * a slot is, {@code Gate} how far one producer may write, {@code Stamps} whose turn a slot is where
 * many threads claim, {@code Claims} how far they have claimed and how their claims end. {@code
 * StallWatch} detects stalled producers. {@code HistorySlots}, {@code HistoryWriter} and {@code
 * HistoryCursor} are the ring that overwrites its oldest records, in memory that it is given.
 * {@code Waiters} tracks which threads are parked, {@code Role} detects overlapping calls, and
 * {@code Speculative} marks reads that race and are validated. {@code RecordProducer}, {@code
 * RecordConsumer} and {@code HistoryRecordProducer} are what the ends of queues and rings share.
 * Claim loops stay in the types themselves, where the reader looks for them.
 */
package dev.millrace.core.internal;
