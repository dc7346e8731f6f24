/** JMH benchmarks. */
package dev.millrace.bench;
