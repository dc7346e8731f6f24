/**
 * Where a record lives, and how a thread waits: owned off-heap memory, padded sequences, wait
 * strategies. Most users meet these only as arguments of the queues.
 *
 * <h2>Memory model</h2>
 *
 * What all modules of Millrace rely on, once for all of them. The words are those of {@link
 * java.lang.invoke.VarHandle} and of Doug Lea's <a
 * href="https://gee.cs.oswego.edu/dl/html/j9mm.html">Using JDK 9 Memory Order Modes</a>.
 *
 * <ul>
 *   <li><b>Publication.</b> A record's bytes are written and read plain. A producer publishes them
 *       by one <i>release</i> write, of the slot's stamp or of a shared sequence; a consumer that
 *       reads the written value by an <i>acquire</i> read sees the bytes. That pair is the only
 *       thing that makes them visible, and the types say for each of their pairs what it publishes.
 *   <li><b>Reuse.</b> The way back is a pair too: a consumer releases its head when it is through
 *       with a slot, and a producer acquires that before it writes there again.
 *   <li><b>Runs.</b> Many opaque reads followed by one acquire fence stand for as many acquire
 *       reads.
 *   <li><b>Overwriting.</b> Where a reader may be overtaken (history rings), it copies between an
 *       acquire read of the stamp and, behind an acquire fence, a second look at it; what changed
 *       in between is thrown away. The copy's plain reads race, and the result of a race is never
 *       used.
 *   <li><b>Parking.</b> A thread that is going to park and the thread that shall wake it put a full
 *       fence between their write and their read (Dekker's pattern). No other operation needs one.
 *   <li><b>Estimates.</b> Sizes and counts that any thread may ask for are opaque reads: each is a
 *       value that was written, perhaps a stale one.
 * </ul>
 *
 * <p>A {@code long} at an offset that is a multiple of 8 is read and written as a whole; all stamps
 * and sequences are such. All memory is native: no call site of the library ever meets a heap
 * segment, for a site that has seen both kinds is several times slower for ever.
 *
 * <h2>Padding</h2>
 *
 * Variables are padded by writer: those of one role share what no other role writes. The unit is
 * 128 bytes, a pair of lines that the processor prefetches together. {@link
 * dev.millrace.core.Sequence} is the one padded counter; rings of one process keep their sequences
 * on the heap and their records off it.
 *
 * @since 0.1.0
 */
package dev.millrace.core;
