package dev.millrace.telemetry;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.telemetry.internal.TraceAccess;
import dev.millrace.telemetry.internal.TraceLog;

/**
 * Gives the proofs access to package-private members of {@link TraceWriter} and {@link
 * TraceReader}.
 */
final class TraceSecrets implements TraceAccess {
  @Override
  public Writers newWriters(TraceLog log, boolean isOfOneThread) {
    TraceWriters writers = new TraceWriters(log, isOfOneThread);
    return new Writers() {
      @Override
      public <T> TraceWriter<T> newWriter(
          String name, String type, FlyweightType<T> fields, int every, int perSecond) {
        return writers.newWriter(name, type, fields, every, perSecond, writers::giveBack);
      }
    };
  }

  @Override
  public int entryOf(TraceWriter<?> writer) {
    return writer.entry();
  }

  @Override
  public TraceReader newReader(TraceLog log) {
    int records = (int) log.slots().capacity();
    return new TraceReader(new TelemetryHeader(0, 0, 1, 1, records, log.recordBytes()), log);
  }
}
