/**
 * The parts that rings are made of, exported to the sibling modules only: {@code Ring} says what a
 * slot is, {@code Gate} how far one producer may write, {@code Stamps} whose turn a slot is where
 * many claim, {@code Claims} how far they have claimed and how their claims end, {@code StallWatch}
 * when a producer has stalled, {@code HistorySlots}, {@code HistoryWriter} and {@code
 * HistoryCursor} are the ring that overwrites, in memory that is given, {@code Waiters} which
 * threads are parked, {@code Role} finds callers that overlap, {@code Checks} words broken rules,
 * {@code Speculative} marks reads that race and are validated. Claim loops stay in the types
 * themselves, where the reader looks for them.
 */
package dev.millrace.core.internal;
