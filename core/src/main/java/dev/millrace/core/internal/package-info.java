/**
 * The parts that rings are made of, exported to the sibling modules only: {@code Ring} says where a
 * slot is, {@code Gate} how far a producer may write, {@code Waiters} which thread is parked,
 * {@code Role} finds callers that overlap, {@code Checks} words broken rules, {@code Speculative}
 * marks reads that race and are validated. Claim loops stay in the types themselves, where the
 * reader looks for them.
 */
package dev.millrace.core.internal;
