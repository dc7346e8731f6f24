package dev.millrace.queues.internal;

import dev.millrace.core.Sequence;
import dev.millrace.queues.log.MessageLog;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The words by which the roles of a {@link MessageLog} tell each other how far they are. Some are
 * in the files, where other processes can read them. The others are on the heap of the process that
 * writes.
 */
public class LogWords { // not final: a test overrides each access to the words on the heap
  /*
   *   word        where              writer                 read by
   *   message     segment, per       producer, recovery     readers
   *               message
   *   sealed      segment's header   producer, recovery     readers
   *   other       segment's header   the thread that        readers, recovery
   *   marks                          forces, recovery
   *   opening     segment's header   recovery               the log that was opened before
   *   written     heap               producer               any thread
   *   durable     heap               the thread that        any thread
   *                                  forces, one at a time
   *
   * A file that is mapped twice is the same memory to the processor. So an acquire in one mapping
   * sees what a release in the other has published.
   *
   * A  WORD.setRelease in publish         ->  WORD.getAcquire in read             what was written
   *                                                                               before the word
   * B  written.setRelease in markWritten  ->  written.getAcquire in written       the messages, the
   *                                                                               index
   * C  durable.setRelease in markDurable  ->  durable.getAcquire in durable       what was written
   *                                                                               and forced
   * D  WORD.weakCompareAndSetPlain in     ->  fullFence in readAgain, then      one sees the other:
   *    exchange, then fullFence there         WORD.getOpaque there              the new word, or
   *                                                                               what was written
   *                                                                               before readAgain
   */
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

  private final Sequence written = new Sequence();
  private final Sequence durable = new Sequence();

  /** Writes a word of a file. Everything that the word stands for must have been written before. */
  public static void publish(MemorySegment memory, long position, long word) {
    WORD.setRelease(memory, position, word); // release A: what it stands for; linearizes
  }

  /** Reads a word of a file, after which everything that the word stands for can be read. */
  public static long read(MemorySegment memory, long position) {
    return (long) WORD.getAcquire(memory, position); // acquire A: what it stands for
  }

  /**
   * Replaces a word of a file. Returns false if the word does not have the value {@code expected}.
   * May also fail spuriously.
   */
  public static boolean exchange(MemorySegment memory, long position, long expected, long word) {
    // atomic: of two threads that replace it at once, one succeeds
    boolean isExchanged = WORD.weakCompareAndSetPlain(memory, position, expected, word);
    VarHandle.fullFence(); // fence D: the word before what is read next
    return isExchanged;
  }

  /** Reads a word of a file after everything that this thread has written or has seen written. */
  public static long readAgain(MemorySegment memory, long position) {
    VarHandle.fullFence(); // fence D: the messages before the word
    return (long) WORD.getOpaque(memory, position); // opaque: the fence orders it
  }

  /** Notes that all messages with numbers below {@code end} are written. */
  public void markWritten(long end) {
    written.setRelease(end); // release B: the messages, the index
  }

  public long written() {
    return written.getAcquire(); // acquire B: the messages, the index
  }

  /** Notes that all messages with numbers below {@code end} are on the disk. */
  public void markDurable(long end) {
    durable.setRelease(end); // release C: that they were forced
  }

  public long durable() {
    return durable.getAcquire(); // acquire C: that they were forced
  }
}
