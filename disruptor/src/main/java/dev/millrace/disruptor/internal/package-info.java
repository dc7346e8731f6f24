/** What pipelines measure, and what the proofs of this module reach; not exported. */
package dev.millrace.disruptor.internal;
