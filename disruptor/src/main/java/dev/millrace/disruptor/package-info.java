/** Sequencers and pipelines over one off-heap ring. Holds no types yet. */
package dev.millrace.disruptor;
