/**
 * The side-by-side: Millrace and its peers on the same work, each sample in a JVM of its own, in
 * shuffled rounds, with the distance of the cores measured before and after. {@code
 * docs/BENCHMARKS.md} says how to run and read it.
 */
package dev.millrace.bench.compare;
