package dev.millrace.telemetry.internal;

import dev.millrace.core.internal.SharedSecret;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.telemetry.TraceReader;
import dev.millrace.telemetry.TraceWriter;

/** The ends of a trace log that is laid over memory of one's own; for the proofs. */
public interface TraceAccess {
  /** Shared by {@link TraceWriter}. */
  SharedSecret<TraceAccess> SECRET = new SharedSecret<>(TraceWriter.class);

  /** Makes the writers of a log. They may be made and closed by one thread at a time. */
  interface Writers {
    /**
     * Makes a writer.
     *
     * @param <T> the view
     * @param name its name
     * @param type the name of what it writes
     * @param fields describes that
     * @param every one record in this many is written
     * @param perSecond the most records in a second
     * @return the writer
     */
    <T> TraceWriter<T> newWriter(
        String name, String type, FlyweightType<T> fields, int every, int perSecond);
  }

  /**
   * What makes the writers of a log.
   *
   * @param log an empty log
   * @param isOfOneThread whether one thread at a time writes
   * @return the maker
   */
  Writers newWriters(TraceLog log, boolean isOfOneThread);

  /**
   * A writer's place in the log's table.
   *
   * @param writer the writer
   * @return the number of its entry
   */
  int entryOf(TraceWriter<?> writer);

  /**
   * Makes a reader that begins with the oldest record.
   *
   * @param log the log
   * @return the reader
   */
  TraceReader newReader(TraceLog log);
}
