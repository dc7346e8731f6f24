/**
 * Multi-stage processing of the events of one ring.
 *
 * <pre>
 *              +-> parse x4 (shared) -+
 *  producers --+                      +-> aggregate
 *              +-> journal -----------+
 *
 *  RecordRing or ObjectRing        the events, handed from stage to stage in place
 *  Sequencer                       who owns which slot: claims, publication, back-pressure
 *  Pipeline, Batch                 one thread per handler, and failure handling
 * </pre>
 *
 * <p>Most users need a ring and a {@link dev.millrace.disruptor.Pipeline} on it. If you manage
 * slots and threads yourself, use a {@link dev.millrace.disruptor.Sequencer} and its {@link
 * dev.millrace.disruptor.SequenceConsumer}s directly. The memory model is that of package {@code
 * dev.millrace.core}.
 *
 * @since 0.1.0
 */
package dev.millrace.disruptor;
