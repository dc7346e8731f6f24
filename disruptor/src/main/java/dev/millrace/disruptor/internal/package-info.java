/** What pipelines measure, and access for the proofs of this module. Not exported. */
package dev.millrace.disruptor.internal;
