/**
 * The concurrent types on a real JVM and real cores: tests of two actors that meet millions of
 * times, under jcstress.
 *
 * <p>A test has two actors and at most an arbiter. One of three actors would be left out on a
 * machine of two cores, without a word and with success; {@link
 * dev.millrace.stress.jcstress.JcstressCheck} therefore asks for the results of each.
 *
 * <p>Records are numbered, and a result names records by their place in the trial: 1 is the first
 * that the trial writes, 0 and below are of former trials. That is how a stale field shows.
 *
 * <p>On x86-64 the processor itself reorders no more than a store with a later load. What the tests
 * find there are errors of the protocol, missing full fences, and what the compilers reorder; a
 * missing acquire or release is the ordering simulator's to find.
 */
package dev.millrace.stress.jcstress;
