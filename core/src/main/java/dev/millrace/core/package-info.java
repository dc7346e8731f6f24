/**
 * What all queues and rings share: the ends at which records go in and come out, how a thread
 * waits, and the numbers that a structure reports. Begin with {@link dev.millrace.core.Producer}
 * and {@link dev.millrace.core.Consumer}, which queues and rings hand out. Each end belongs to one
 * thread at a time. Everything that a thread did before it committed a record happens before
 * another thread returns from polling that record.
 *
 * <h2>Memory model</h2>
 *
 * All modules of Millrace rely on this model. The terms are those of {@link
 * java.lang.invoke.VarHandle} and of Doug Lea's <a
 * href="https://gee.cs.oswego.edu/dl/html/j9mm.html">Using JDK 9 Memory Order Modes</a>.
 *
 * <ul>
 *   <li><b>Publication.</b> A record's bytes are written and read with plain accesses. A producer
 *       publishes them with one <i>release</i> write, of the slot's stamp or of a shared sequence;
 *       a consumer that reads the written value with an <i>acquire</i> read sees the bytes. Nothing
 *       else makes them visible, and each type says what each of its pairs publishes.
 *   <li><b>Reuse.</b> Another pair hands slots back: a consumer writes its head with release when
 *       it has finished with a slot, and a producer reads the head with acquire before it writes to
 *       the slot again.
 *   <li><b>Runs.</b> For a run of records, opaque reads followed by one acquire fence replace the
 *       acquire reads.
 *   <li><b>Overwriting.</b> The producer of a history ring may overwrite a record while it is being
 *       read. A reader therefore reads the stamp with acquire, copies the record, and after an
 *       acquire fence reads the stamp again. If the stamp has changed, the reader discards the
 *       copy. The copy's plain reads may race with the producer's writes, but the result of a race
 *       is never used.
 *   <li><b>Parking.</b> A thread that is about to park and the thread that must wake it each put a
 *       full fence between their write and their read (Dekker's pattern). No other operation needs
 *       one.
 *   <li><b>Estimates.</b> Sizes and counts that any thread may ask for are opaque reads: each
 *       returns a value that was once written, but may be stale by now.
 * </ul>
 *
 * <p>A {@code long} at an offset that is a multiple of 8 is read and written as a whole, and all
 * stamps and sequences are stored that way. All memory is native. No call site of the library ever
 * sees a heap segment, because a call site that has seen both kinds stays several times slower.
 *
 * <h2>Padding</h2>
 *
 * Variables are padded by writer: those of one role share a block that no other role writes to. The
 * unit is 128 bytes, a pair of cache lines that the processor prefetches together. {@link
 * dev.millrace.core.Sequence} is the only padded counter. Queues and rings keep their sequences on
 * the heap and their records off it, while a history ring keeps both off it.
 *
 * @since 0.1.0
 */
package dev.millrace.core;
