/** Queues between two processes beside each other: round trips and throughput. */
package dev.millrace.bench.ipc;
