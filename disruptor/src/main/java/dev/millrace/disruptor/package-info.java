/** Sequencers and pipelines over one off-heap ring. */
package dev.millrace.disruptor;
