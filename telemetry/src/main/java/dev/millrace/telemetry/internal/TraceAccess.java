package dev.millrace.telemetry.internal;

import dev.millrace.core.internal.SharedSecret;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.telemetry.TraceReader;
import dev.millrace.telemetry.TraceWriter;

/** Lets the proofs make writers and readers of a trace log in memory that they provide. */
public interface TraceAccess {
  /** Shared by {@link TraceWriter}. */
  SharedSecret<TraceAccess> SECRET = new SharedSecret<>(TraceWriter.class);

  /** Makes the writers of a log. Only one thread at a time may make or close writers. */
  interface Writers {
    /**
     * Makes a writer named {@code name} for records of the type named {@code type}, which {@code
     * fields} describes. The writer writes one record in {@code every}, and at most {@code
     * perSecond} records per second.
     */
    <T> TraceWriter<T> newWriter(
        String name, String type, FlyweightType<T> fields, int every, int perSecond);
  }

  /**
   * Returns the object that makes the writers of an empty log. If {@code isOfOneThread}, only one
   * thread at a time writes.
   */
  Writers newWriters(TraceLog log, boolean isOfOneThread);

  /** Returns the number of a writer's entry in the log's table. */
  int entryOf(TraceWriter<?> writer);

  /** Makes a reader that begins with the oldest record. */
  TraceReader newReader(TraceLog log);
}
