/** What it costs to take bytes from a channel through a queue to another channel. */
package dev.millrace.bench.channels;
