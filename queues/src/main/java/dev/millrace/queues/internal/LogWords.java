package dev.millrace.queues.internal;

import dev.millrace.core.Sequence;
import dev.millrace.queues.log.MessageLog;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The words by which the roles of a {@link MessageLog} share how far they are: those in the files,
 * which other processes read, and those of the process that writes.
 */
public class LogWords { // not final: a test meets each access to the words on the heap
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
   * A file that is mapped twice is the same memory to the processor, so what a release in one
   * mapping has published, an acquire in the other sees.
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

  /** Writes a word of a file, once all that it stands for is written. */
  public static void publish(MemorySegment memory, long position, long word) {
    WORD.setRelease(memory, position, word); // release A: what it stands for; linearizes
  }

  /** Reads a word of a file; what it stands for can be read then. */
  public static long read(MemorySegment memory, long position) {
    return (long) WORD.getAcquire(memory, position); // acquire A: what it stands for
  }

  /**
   * Replaces a word of a file. Returns false if it has another value than expected, or for no
   * reason.
   */
  public static boolean exchange(MemorySegment memory, long position, long expected, long word) {
    // atomic: of two that replace it at once, one does
    boolean isExchanged = WORD.weakCompareAndSetPlain(memory, position, expected, word);
    VarHandle.fullFence(); // fence D: the word before what is read next
    return isExchanged;
  }

  /** Reads a word of a file after all that this thread knows to be written. */
  public static long readAgain(MemorySegment memory, long position) {
    VarHandle.fullFence(); // fence D: the messages before the word
    return (long) WORD.getOpaque(memory, position); // opaque: the fence orders it
  }

  /** Notes that the messages below a number are written. */
  public void markWritten(long end) {
    written.setRelease(end); // release B: the messages, the index
  }

  public long written() {
    return written.getAcquire(); // acquire B: the messages, the index
  }

  /** Notes that the messages below a number are on the disk. */
  public void markDurable(long end) {
    durable.setRelease(end); // release C: that they were forced
  }

  public long durable() {
    return durable.getAcquire(); // acquire C: that they were forced
  }
}
