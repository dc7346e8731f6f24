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
 * Enters the writers of a trace log in its table, and gives an entry to another writer once the
 * ring has passed everything that the former one wrote. The entry's generation shows a late reader
 * that a record is from a former writer.
 *
 * <p>Its owner calls it from one thread at a time.
 */
final class TraceWriters {
  /** Separates the parts of an entry. */
  private static final String SEPARATOR = "\0";

  private static final long IN_USE = Long.MAX_VALUE;

  private final TraceLog log;
  private final HistoryWriter history;
  private final long[] freeFrom; // for each entry: the claims after which it may be used again

  TraceWriters(TraceLog log, boolean isOfOneThread) {
    this.log = log;
    this.history =
        isOfOneThread ? HistoryWriter.ofOne(log.slots()) : HistoryWriter.ofMany(log.slots());
    this.freeFrom = new long[log.writers().capacity()];
  }

  /** Creates a writer, which calls back on close; {@link #giveBack} must be called then. */
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

  /** Splits an entry's label: the writer's name, the type's name, the layout. */
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

  /** Ends a writer. */
  void giveBack(TraceWriter<?> writer) {
    writer.abortOpenClaim();
    freeFrom[writer.entry()] = log.slots().claimedCount() + log.slots().capacity();
  }
}
