/**
 * What an access to memory costs, by the way in which it is reached: the appendix of "Off-heap
 * Memory in Apache Flink and the curious JIT compiler" (S. Ewen, 2015), once more with what a
 * present-day JDK offers.
 */
package dev.millrace.bench.memory;
