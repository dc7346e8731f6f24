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
     * Makes a writer with a name, for records of a named type that the fields describe. It writes
     * one record in {@code every}, and at most {@code perSecond} in a second.
     */
    <T> TraceWriter<T> newWriter(
        String name, String type, FlyweightType<T> fields, int every, int perSecond);
  }

  /**
   * Returns what makes the writers of an empty log; {@code isOfOneThread} if only one thread at a
   * time writes.
   */
  Writers newWriters(TraceLog log, boolean isOfOneThread);

  /** The number of a writer's entry in the log's table. */
  int entryOf(TraceWriter<?> writer);

  /** Makes a reader that begins with the oldest record. */
  TraceReader newReader(TraceLog log);
}
