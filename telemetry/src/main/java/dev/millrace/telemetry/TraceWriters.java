package dev.millrace.telemetry;

import dev.millrace.core.internal.history.HistoryWriter;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.telemetry.internal.CounterTable;
import dev.millrace.telemetry.internal.TraceLog;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Enters the writers of a trace log in its table. An entry is given to another writer once all
 * records of its former writer are overwritten. From the entry's generation, a late reader sees
 * that a record is from a former writer.
 *
 * <p>The owner calls this object from one thread at a time.
 */
final class TraceWriters {
  /** Separates the parts of an entry. */
  private static final String SEPARATOR = "\0";

  private static final long IN_USE = Long.MAX_VALUE;

  private final TraceLog log;
  private final HistoryWriter history;
  private final long[] freeFrom; // for each entry, how many claims must precede its reuse

  TraceWriters(TraceLog log, boolean isOfOneThread) {
    this.log = log;
    this.history =
        isOfOneThread ? HistoryWriter.ofOne(log.slots()) : HistoryWriter.ofMany(log.slots());
    this.freeFrom = new long[log.writers().capacity()];
  }

  /**
   * Creates a writer that calls back when it is closed. The callback must call {@link #giveBack}.
   */
  <T> TraceWriter<T> newWriter(
      String name,
      String type,
      FlyweightType<T> fields,
      int every,
      int perSecond,
      Consumer<TraceWriter<?>> onClose) {
    Checks.notNull("name", name);
    Checks.notNull("type", type);
    Checks.inRange("every", every, 1, Integer.MAX_VALUE);
    Checks.inRange("perSecond", perSecond, 1, Integer.MAX_VALUE);
    long fieldBytes = Checks.notNull("fields", fields).layout().sizeBytes();
    Checks.inRange("size of " + type, fieldBytes, 1, log.textRoom(0));
    byte[] label = label(name, type, LayoutText.of(fields.layout()));
    T view = fields.newFlyweight(log.slots().memory());
    if (!((Flyweight) view).memory().equals(log.slots().memory())) {
      throw new IllegalArgumentException(
          "flyweight must be on the memory that it was given: flyweight=" + view);
    }
    int entry = freeEntry(name);
    log.writers().label(entry, CounterTable.WRITER, 0, label);
    long generation = CounterTable.generationOf(log.writers().publish(entry));
    freeFrom[entry] = IN_USE;
    long id = TraceLog.id(entry, generation);
    return new TraceWriter<>(log, history, id, view, every, perSecond, onClose);
  }

  private byte[] label(String name, String type, String layout) {
    String label = String.join(SEPARATOR, name, type, layout);
    if (parts(label).length != 3) {
      throw new IllegalArgumentException(
          "writer, type and fields must have names without NUL: writer="
              + Checks.shown(name)
              + ", type="
              + Checks.shown(type));
    }
    byte[] bytes = label.getBytes(StandardCharsets.UTF_8);
    int limit = log.writers().labelBytes();
    Checks.inRange("bytes of writer, type and layout", bytes.length, 1, limit);
    return bytes;
  }

  /** Splits the label of an entry into the writer's name, the type's name and the layout. */
  static String[] parts(String label) {
    return label.split(SEPARATOR, -1);
  }

  private int freeEntry(String name) {
    long claimed = log.slots().claimedCount();
    return IntStream.range(0, freeFrom.length)
        .filter(entry -> freeFrom[entry] <= claimed)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "writers must not be more than "
                        + freeFrom.length
                        + ", counting closed ones with records in the log: writer="
                        + Checks.shown(name)));
  }

  /** Closes {@code writer} and frees its entry. */
  void giveBack(TraceWriter<?> writer) {
    writer.abortOpenClaim();
    freeFrom[writer.entry()] = log.slots().claimedCount() + log.slots().capacity();
  }
}
