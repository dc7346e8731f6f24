/**
 * Stages that process the events of one ring in place. They form any acyclic graph, and each runs
 * in threads of its own. Begin with a {@link dev.millrace.disruptor.RecordRing} and a {@link
 * dev.millrace.disruptor.Pipeline} on it. Build the pipeline before the first claim. Handlers must
 * copy what they keep, because all records of a batch share one view.
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
 * <p>If you manage slots and threads yourself, use a {@link dev.millrace.disruptor.Sequencer} and
 * its {@link dev.millrace.disruptor.SequenceConsumer}s directly. The memory model is that of {@link
 * dev.millrace.core}.
 *
 * @since 0.1.0
 */
package dev.millrace.disruptor;
