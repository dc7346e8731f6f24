/** The time of a record in one thread: what does not depend on where the cores are. */
package dev.millrace.bench.onethread;
