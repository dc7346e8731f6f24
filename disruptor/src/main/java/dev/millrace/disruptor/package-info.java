/**
 * Stages that process the events of one ring in place. Stages can form any acyclic graph, and each
 * stage runs in its own threads. Begin with a {@link dev.millrace.disruptor.RecordRing} and a
 * {@link dev.millrace.disruptor.Pipeline} on it. Build the pipeline before the first claim. All
 * records of a batch share one view, so a handler must copy whatever it wants to keep.
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
 * its {@link dev.millrace.disruptor.SequenceConsumer}s directly. {@link dev.millrace.core}
 * describes the memory model.
 *
 * @since 0.1.0
 */
@NullMarked
package dev.millrace.disruptor;

import org.jspecify.annotations.NullMarked;
