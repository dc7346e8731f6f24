package dev.millrace.stress.trial;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.history.HistorySlots;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.telemetry.TraceReader;
import dev.millrace.telemetry.TraceWriter;
import dev.millrace.telemetry.internal.CounterTable;
import dev.millrace.telemetry.internal.TraceAccess;
import dev.millrace.telemetry.internal.TraceLog;

/**
 * A small trace log, and what its readers see. Its owner's lock is the affair of the trial: one
 * thread at a time makes and closes writers.
 */
public final class SmallTrace {
  private static final int ENTRIES = 4;
  private static final int RECORD_BYTES = TraceLog.HEAD_BYTES + 32;

  private static final TraceAccess ACCESS = TraceAccess.SECRET.get();

  private final TraceLog log;
  private final TraceAccess.Writers writers;

  private SmallTrace(int records, boolean ofOneWriter) {
    NativeMemory memory = NativeMemory.allocate(HistorySlots.sizeBytes(records, RECORD_BYTES));
    NativeMemory table = NativeMemory.allocate(ENTRIES * CounterTable.WRITER_SLOT_BYTES);
    log =
        new TraceLog(
            CounterTable.ofWriters(table.segment()),
            HistorySlots.over(memory.segment(), records, RECORD_BYTES),
            RECORD_BYTES);
    writers = ACCESS.newWriters(log, ofOneWriter);
  }

  /**
   * Makes a log that any threads write.
   *
   * @param records how many it keeps, of 32 bytes for fields and text
   * @return the log
   */
  public static SmallTrace ofMany(int records) {
    return new SmallTrace(records, false);
  }

  /**
   * Makes a log that one thread at a time writes.
   *
   * @param records how many it keeps, of 32 bytes for fields and text
   * @return the log
   */
  public static SmallTrace ofOne(int records) {
    return new SmallTrace(records, true);
  }

  /**
   * Makes a writer.
   *
   * @param <T> the view
   * @param name its name
   * @param type the name of what it writes
   * @param fields describes that
   * @return the writer
   */
  public <T> TraceWriter<T> newWriter(String name, String type, FlyweightType<T> fields) {
    return newWriter(name, type, fields, 1, Integer.MAX_VALUE);
  }

  /**
   * Makes a writer that leaves records out.
   *
   * @param <T> the view
   * @param name its name
   * @param type the name of what it writes
   * @param fields describes that
   * @param every one record in this many is written
   * @param perSecond the most records in a second
   * @return the writer
   */
  public <T> TraceWriter<T> newWriter(
      String name, String type, FlyweightType<T> fields, int every, int perSecond) {
    return writers.newWriter(name, type, fields, every, perSecond);
  }

  /**
   * Tells a writer's place in the table.
   *
   * @param writer the writer
   * @return the number of its entry
   */
  public static int entry(TraceWriter<?> writer) {
    return ACCESS.entryOf(writer);
  }

  /**
   * Counts the claims.
   *
   * @return how many there were
   */
  public long claimedCount() {
    return log.slots().claimedCount();
  }

  /**
   * Counts refusals.
   *
   * @return how many records were refused or aborted
   */
  public long refusedCount() {
    return log.slots().refusedCount();
  }

  /**
   * Makes a reader.
   *
   * @return a reader that begins with the oldest record
   */
  public TraceReader newReader() {
    return ACCESS.newReader(log);
  }
}
