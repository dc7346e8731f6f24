/**
 * What the trials of scenarios, Lincheck, jcstress and the soaks have in common: records, and small
 * structures, which some of them lay over parts that no user can name.
 */
package dev.millrace.stress.trial;
