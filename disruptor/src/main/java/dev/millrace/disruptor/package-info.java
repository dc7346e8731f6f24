/**
 * Multi-stage processing of the events of one ring.
 *
 * <pre>
 *              +-> parse x4 (shared) -+
 *  producers --+                      +-> aggregate
 *              +-> journal -----------+
 *
 *  RecordRing or ObjectRing        what is handed on, in place
 *  Sequencer                       which slot is whose: claims, publication, back-pressure
 *  Pipeline, Batch                 a thread for each handler, and what happens when one fails
 * </pre>
 *
 * <p>Most users need a ring and a {@link dev.millrace.disruptor.Pipeline} on it. A {@link
 * dev.millrace.disruptor.Sequencer} and its {@link dev.millrace.disruptor.SequenceConsumer}s alone
 * serve those with slots and threads of their own. The memory model is that of package {@code
 * dev.millrace.core}.
 *
 * @since 0.1.0
 */
package dev.millrace.disruptor;
