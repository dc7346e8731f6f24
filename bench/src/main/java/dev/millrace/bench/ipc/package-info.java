/** Compares queues between two processes: round trips and throughput. */
package dev.millrace.bench.ipc;
