/**
 * The types that all queues and rings share. These types define how records enter and leave a
 * structure, how a thread waits, and which numbers a structure reports. Begin with {@link
 * dev.millrace.core.Producer} and {@link dev.millrace.core.Consumer}, which queues and rings hand
 * out. Each producer and each consumer belongs to one thread at a time. Everything that a thread
 * did before it committed a record happens-before everything that another thread does after it has
 * polled that record.
 *
 * <h2>Memory model</h2>
 *
 * All modules of Millrace rely on the following memory model. Its terms are those of {@link
 * java.lang.invoke.VarHandle} and of Doug Lea's <a
 * href="https://gee.cs.oswego.edu/dl/html/j9mm.html">Using JDK 9 Memory Order Modes</a>.
 *
 * <ul>
 *   <li><b>Publication.</b> A record's bytes are written and read with plain accesses. A producer
 *       publishes the bytes with one <i>release</i> write, either of the slot's stamp or of a
 *       shared sequence. A consumer that reads the written value with an <i>acquire</i> read sees
 *       the bytes. Nothing else makes the bytes visible. Comments in the source of each type list
 *       its pairs of release and acquire, and what each pair publishes.
 *   <li><b>Reuse.</b> Slots go back to the producers with another release and acquire. A consumer
 *       that has finished with a slot makes a <i>release</i> write, either to the slot's stamp if
 *       consumers share the records, or otherwise to the consumer's own head. Before a producer
 *       writes to the slot again, it reads that stamp or head with <i>acquire</i>.
 *   <li><b>Runs.</b> For a run of records, opaque reads followed by one acquire fence may replace
 *       the acquire reads.
 *   <li><b>Overwriting.</b> The producer of a history ring may overwrite a record while it is being
 *       read. A reader therefore reads the stamp with acquire, copies the record, executes an
 *       acquire fence, and reads the stamp again. If the stamp has changed, the reader discards the
 *       copy. The plain reads that make the copy may race with the producer's writes, but the
 *       result of a race is never used.
 *   <li><b>Parking.</b> A thread that is about to park first writes that it is waiting, and then
 *       checks the structure once more. A thread that commits or releases first publishes what it
 *       has done, and then checks whether another thread is waiting. Each of these two threads
 *       needs a full fence between its write and its check (Dekker's pattern). While threads seldom
 *       park, the parking thread makes all threads of the process execute a fence, so that a commit
 *       or a release needs no fence of its own. Nothing else in a commit or a release needs a full
 *       fence.
 *   <li><b>Estimates.</b> Sizes and counts that any thread may request come from opaque reads. An
 *       opaque read returns a value that was written at some time, but may be stale.
 * </ul>
 *
 * <p>A {@code long} at an offset that is a multiple of 8 is read and written as a whole, and all
 * stamps and sequences are stored at multiples of 8. All memory is native. No call site of the
 * library ever sees a heap segment, because a call site that has seen both heap and native segments
 * stays several times slower.
 *
 * <h2>Padding</h2>
 *
 * Padding separates variables by writer. The variables of one role share a block that no other role
 * writes to. The unit of padding is 128 bytes, a pair of cache lines that the processor prefetches
 * together. {@link dev.millrace.core.Sequence} is the only padded counter. Most queues and rings
 * keep their sequences on the heap and their records off the heap. History rings and message queues
 * keep both off the heap, except that a message queue keeps the sequence of a sole producer on the
 * heap.
 *
 * @since 0.1.0
 */
@NullMarked
package dev.millrace.core;

import org.jspecify.annotations.NullMarked;
