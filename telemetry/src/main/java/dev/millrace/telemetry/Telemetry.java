package dev.millrace.telemetry;

import dev.millrace.core.Measured;
import dev.millrace.core.internal.Role;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.telemetry.internal.CounterTable;
import dev.millrace.telemetry.internal.TraceLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds the counters, gauges and trace log of a process, in memory or in a file that other
 * processes can read.
 *
 * {@snippet file="Examples.java" region="create"}
 *
 * <p><b>Roles.</b> Any thread may call any method. Sources are the objects that are passed to
 * {@code report}. A daemon thread of the telemetry reads the sources. Threads that call {@code
 * report} or {@link #sample()} read sources too, and so does a separate thread during {@link
 * #close()}. Only one thread at a time reads a source.
 *
 * <p><b>Progress.</b> Creating and closing counters, gauges and trace writers requires a lock;
 * writing and reading do not. No thread holds that lock while it reads a source. A slow source
 * delays the sources after it, both on the sampling thread and in {@link #sample()}. Between two
 * rounds, the sampling thread rests for the sample period. {@link #close()} waits at most half a
 * second for the last sample.
 *
 * <p><b>Ordering.</b> A reader never sees a label with the value of a different counter. The values
 * of different counters may be from different moments.
 *
 * <p><b>Labels</b> are unique, so a label that is in use is rejected. A label can be used again
 * once the counter or gauge with that label is closed.
 *
 * <p><b>Failure.</b> If the table is full, creating a counter throws an {@link
 * IllegalStateException} that names the capacity. If a source throws an exception, the telemetry
 * keeps the source's last values and counts the failure in {@code <name>.sampleFailures}. Creating
 * a telemetry file allocates all of its space, so creating the file throws an {@link IOException}
 * if the disk is full. The counters in a file outlive the process, however the process ends, but
 * may be lost if the machine crashes. After {@link #close()}, all operations except {@code close},
 * {@code stopReporting} and {@code toString} throw {@link IllegalStateException}.
 *
 * <p><b>Cost.</b> Each slot takes 384 bytes, and the header takes 4,096 bytes. A trace log adds
 * 262,400 bytes. Each record of the log takes the record's size plus 8 bytes, rounded up to a
 * multiple of 8. Reporting a queue costs the queue nothing, because the values come from sequences
 * that the queue keeps anyway. An {@code MpscQueue} takes 12 slots.
 *
 * <p><b>Source.</b> The file format is described in {@code docs/TELEMETRY-FORMAT.md}.
 *
 * @since 0.1.0
 */
public final class Telemetry implements AutoCloseable {
  /**
   * The settings of telemetry.
   *
   * @param capacity the number of slots, from 1 to 2<sup>20</sup>. A counter takes one slot for
   *     each of its stripes, and a gauge takes one slot
   * @param traceRecords how many records the trace log keeps, up to 2<sup>24</sup>, or 0 for no log
   * @param recordBytes the size of a record in bytes, from 17 to 65,536, including a header of 16
   *     bytes, the fields and the text; 0 if there is no log
   * @param hasSoleTraceWriter whether only one thread at a time writes to the log, which then needs
   *     no atomic updates
   * @param samplePeriod how long the sampling thread rests between two rounds, at least a
   *     millisecond; zero for no sampling thread
   * @since 0.1.0
   */
  public record Options(
      int capacity,
      int traceRecords,
      int recordBytes,
      boolean hasSoleTraceWriter,
      Duration samplePeriod) {
    private static final long LEAST_PERIOD_NANOS = 1_000_000;

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if a number is out of its range
     */
    public Options {
      TelemetryHeader.checkSizes(capacity, traceRecords, recordBytes);
      long nanos = Checks.nanos("samplePeriod", samplePeriod);
      if (nanos != 0) {
        Checks.inRange("samplePeriod", nanos, LEAST_PERIOD_NANOS, Long.MAX_VALUE);
      }
    }

    /**
     * Returns the defaults: 256 slots, no trace log, and a sample every second.
     *
     * @return the options
     */
    public static Options defaults() {
      return new Options(256, 0, 0, false, Duration.ofSeconds(1));
    }

    /**
     * Returns the same options with a different capacity.
     *
     * @param slots the number of slots
     * @return the changed options
     */
    public Options withCapacity(int slots) {
      return new Options(slots, traceRecords, recordBytes, hasSoleTraceWriter, samplePeriod);
    }

    /**
     * Returns the same options with a trace log to which any number of threads may write.
     *
     * @param records how many records the log keeps
     * @param bytes the size of a record in bytes, including a header of 16 bytes, the fields and
     *     the text
     * @return the changed options
     */
    public Options withTrace(int records, int bytes) {
      return new Options(capacity, records, bytes, false, samplePeriod);
    }

    /**
     * Returns the same options with a trace log to which only one thread at a time may write.
     *
     * @param records how many records the log keeps
     * @param bytes the size of a record in bytes, including a header of 16 bytes, the fields and
     *     the text
     * @return the changed options
     */
    public Options withTraceOfOneWriter(int records, int bytes) {
      return new Options(capacity, records, bytes, true, samplePeriod);
    }

    /**
     * Returns the same options with a different sample period.
     *
     * @param period how long the sampling thread rests between two rounds; zero to sample only on
     *     demand
     * @return the changed options
     */
    public Options withSamplePeriod(Duration period) {
      return new Options(capacity, traceRecords, recordBytes, hasSoleTraceWriter, period);
    }
  }

  private final TelemetryMemory memory;
  private final CounterTable table;
  private final CounterValues values;
  private final Sampler sampler;
  private final @Nullable TraceWriters trace; // or null

  // guarded by this
  private final BitSet used = new BitSet();
  private final Set<String> labels = new HashSet<>();
  private int next; // where the next search starts, so that a freed slot stays free for a while

  private Telemetry(TelemetryMemory memory, Options options) {
    this.memory = memory;
    this.table = memory.counters();
    this.values = CounterValues.of(table.memory());
    this.sampler = new Sampler(options.samplePeriod());
    TraceLog log = memory.traceLog();
    this.trace = log == null ? null : new TraceWriters(log, options.hasSoleTraceWriter());
  }

  /**
   * Creates telemetry for this process alone.
   *
   * @param options the settings
   * @return the telemetry
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static Telemetry inMemory(Options options) {
    Checks.notNull("options", options);
    return new Telemetry(TelemetryMemory.allocate(TelemetryHeader.now(options)), options);
  }

  /**
   * Creates telemetry in a file. The call removes an older telemetry file at that path. Processes
   * that have the older file open can keep reading it.
   *
   * @param file the path. If there is already a file that is not a telemetry file, the call fails
   * @param options the settings
   * @return the telemetry
   * @throws IOException if the file cannot be created, for example because the disk is full
   */
  public static Telemetry create(Path file, Options options) throws IOException {
    Checks.notNull("file", file);
    Checks.notNull("options", options);
    return new Telemetry(TelemetryFile.create(file, TelemetryHeader.now(options)), options);
  }

  // ---- counters ----

  /**
   * Creates a counter that any thread may add to.
   *
   * @param label the label, 1 to 240 bytes in UTF-8 and not yet in use
   * @return the counter, whose value is 0
   * @throws IllegalArgumentException if the label is empty, too long or in use
   * @throws IllegalStateException if the table is full or the telemetry is closed
   */
  public Counter counter(String label) {
    return counter(label, 1);
  }

  /**
   * Creates a counter for many threads that add at once. Each thread adds to one of several
   * stripes.
   *
   * @param label the label, 1 to 240 bytes in UTF-8 and not yet in use
   * @param stripes the number of stripes, a power of two in 1..64. Each stripe takes a slot
   * @return the counter, whose value is 0
   * @throws IllegalArgumentException if the label is empty, too long or in use, or the number of
   *     stripes is not a power of two in 1..64
   * @throws IllegalStateException if the table does not have that many adjacent free slots, or the
   *     telemetry is closed
   */
  public Counter counter(String label, int stripes) {
    if (stripes < 1 || stripes > Counter.MAX_STRIPES || Integer.bitCount(stripes) != 1) {
      throw new IllegalArgumentException(
          "stripes must be a power of two in 1.." + Counter.MAX_STRIPES + ": stripes=" + stripes);
    }
    return new Counter(this, values, allocate(label, CounterTable.COUNTER, stripes), null);
  }

  /**
   * Creates a counter that only one thread at a time may add to. Adding to it takes no atomic
   * update.
   *
   * @param label the label, 1 to 240 bytes in UTF-8 and not yet in use
   * @return the counter, whose value is 0
   * @throws IllegalArgumentException if the label is empty, too long or in use
   * @throws IllegalStateException if the table is full or the telemetry is closed
   */
  public Counter soleWriterCounter(String label) {
    Role writer = new Role("a counter of a sole writer has one writer");
    return new Counter(this, values, allocate(label, CounterTable.COUNTER, 1), writer);
  }

  /**
   * Creates a gauge that any thread may set or add to.
   *
   * @param label the label, 1 to 240 bytes in UTF-8 and not yet in use
   * @return the gauge, whose value is 0
   * @throws IllegalArgumentException if the label is empty, too long or in use
   * @throws IllegalStateException if the table is full or the telemetry is closed
   */
  public Gauge gauge(String label) {
    return new Gauge(this, values, allocate(label, CounterTable.GAUGE, 1));
  }

  private synchronized Labelled.Place allocate(String text, int kind, int stripes) {
    byte[] bytes = Checks.notNull("label", text).getBytes(StandardCharsets.UTF_8);
    String label = new String(bytes, StandardCharsets.UTF_8); // as readers see it
    if (bytes.length == 0 || bytes.length > table.labelBytes()) {
      throw new IllegalArgumentException(
          "label must take 1..%s bytes in UTF-8: bytes=%s, label=%s"
              .formatted(table.labelBytes(), bytes.length, Checks.shown(label)));
    }
    memory.checkOpen("telemetry");
    if (labels.contains(label)) {
      throw new IllegalArgumentException(
          "label must not be in use already: label=" + Checks.shown(label));
    }
    int slot = freeSlots(stripes);
    if (slot < 0) {
      throw new IllegalStateException(
          "counters must fit the table: capacity=%s, used=%s, slots asked for in a row=%s, label=%s"
              .formatted(table.capacity(), used.cardinality(), stripes, Checks.shown(label)));
    }
    table.label(slot, kind, stripes, bytes);
    long word = table.publish(slot);
    used.set(slot, slot + stripes);
    labels.add(label);
    next = slot + stripes;
    return new Labelled.Place(table, slot, word, stripes, label);
  }

  /**
   * Finds {@code count} adjacent free slots, starting at the next one. Returns the first of them,
   * or -1.
   */
  private int freeSlots(int count) {
    for (int i = 0; i < table.capacity(); i++) {
      int slot = (next + i) % table.capacity();
      int taken = used.nextSetBit(slot);
      boolean isFree = taken < 0 || taken >= slot + count;
      if (isFree && slot + count <= table.capacity()) {
        return slot;
      }
    }
    return -1;
  }

  synchronized void free(Labelled one) {
    Labelled.Place place = one.place;
    if (one.leave() && memory.isOpen()) {
      table.free(place.slot(), place.word());
      used.clear(place.slot(), place.slot() + place.stripes());
      labels.remove(place.label());
    }
  }

  // ---- sources ----

  /**
   * Starts reporting a queue, a ring, a pipeline or any other {@link Measured} object.
   *
   * @param label the prefix of the labels of the object's counters and gauges, such as {@code
   *     label.size} and {@code label.consumed}, and of {@code label.sampleFailures}
   * @param measured the object to sample. Reporting continues after the object has been closed
   * @throws IllegalArgumentException if one of the labels is too long or in use
   * @throws IllegalStateException if the table does not have enough free slots, or the telemetry is
   *     closed
   */
  public void report(String label, Measured measured) {
    Checks.notNull("measured", measured);
    report(label, measured.counters(), measured.gauges(), measured::readMetrics);
  }

  /**
   * Starts reporting a number as a gauge.
   *
   * @param label the gauge's label
   * @param value supplies the number
   * @throws IllegalArgumentException if the label is too long or in use
   * @throws IllegalStateException if the table does not have enough free slots, or the telemetry is
   *     closed
   */
  public void report(String label, LongSupplier value) {
    Checks.notNull("value", value);
    report(label, List.of(), List.of(""), values -> values[0] = value.getAsLong());
  }

  private void report(
      String label, List<String> counters, List<String> gauges, Consumer<long[]> source) {
    Checks.notNull("label", label);
    List<Labelled> places = new ArrayList<>();
    try {
      for (String name : counters) {
        places.add(counter(label + "." + name));
      }
      for (String name : gauges) {
        places.add(gauge(name.isEmpty() ? label : label + "." + name));
      }
      places.add(counter(label + ".sampleFailures"));
      sampler.add(new Sampler.Task(label, source, places));
    } catch (RuntimeException e) {
      places.forEach(Labelled::close);
      throw e;
    }
  }

  /**
   * Stops reporting a source, and frees its counters and gauges. If another thread is reading the
   * source, the call does not wait for that thread, and the telemetry drops the values that the
   * thread reads. If no source is reported under that label, or the telemetry is closed, the call
   * has no effect.
   *
   * @param label the label that was given to {@code report}
   */
  public void stopReporting(String label) {
    sampler.remove(Checks.notNull("label", label));
  }

  /**
   * Samples all sources now, on the calling thread. If another thread is reading a source, the
   * calling thread waits until the read has ended, and then reads the source again. Failures of
   * sources are counted.
   *
   * @throws IllegalStateException if the telemetry is closed, or if a source calls this method
   */
  public void sample() {
    sampler.sample();
  }

  // ---- the trace log ----

  /**
   * Creates a trace log writer for one thread.
   *
   * @param <T> the view of a record's fields
   * @param name the writer's name, for readers
   * @param type the name of the type of the writer's records, for readers
   * @param fields describes a record's fields. Readers can see the layout
   * @return the writer, to be closed when the thread is done
   * @throws IllegalArgumentException if the layout does not fit the log's records, or if name, type
   *     and layout together are longer than 1,006 bytes or contain a NUL
   * @throws IllegalStateException if there is no trace log, if the telemetry is closed, or if there
   *     are already 256 writers. A closed writer counts until all its records are overwritten
   */
  public <T> TraceWriter<T> newTraceWriter(String name, String type, FlyweightType<T> fields) {
    return newTraceWriter(name, type, fields, 1, Integer.MAX_VALUE);
  }

  /**
   * Creates a trace log writer for one thread that limits how many records it writes: one out of
   * {@code every}, and at most {@code perSecond} a second. {@link TraceWriter#leftOutCount()}
   * returns how many records were left out.
   *
   * @param <T> the view of a record's fields
   * @param name the writer's name, for readers
   * @param type the name of the type of the writer's records, for readers
   * @param fields describes a record's fields. Readers can see the layout
   * @param every the writer writes one out of this many records; at least 1
   * @param perSecond the most records that the writer writes per second, at least 1. A second
   *     begins with the first record after the previous second
   * @return the writer, to be closed when the thread is done
   * @throws IllegalArgumentException as for {@link #newTraceWriter(String, String, FlyweightType)},
   *     or if {@code every} or {@code perSecond} is less than 1
   * @throws IllegalStateException as for {@link #newTraceWriter(String, String, FlyweightType)}
   */
  public synchronized <T> TraceWriter<T> newTraceWriter(
      String name, String type, FlyweightType<T> fields, int every, int perSecond) {
    memory.checkOpen("telemetry");
    if (trace == null) {
      throw new IllegalStateException("telemetry must be made with a trace log: " + this);
    }
    return trace.newWriter(name, type, fields, every, perSecond, this::giveBack);
  }

  @SuppressWarnings("NullAway") // only a trace log has writers
  private synchronized void giveBack(TraceWriter<?> writer) {
    if (memory.isOpen()) {
      trace.giveBack(writer);
    }
  }

  // ---- the whole ----

  /**
   * Creates a reader of this telemetry, for use in this process.
   *
   * @return the reader, which can be used until the telemetry is closed
   * @throws IllegalStateException if the telemetry is closed
   */
  public TelemetryReader newReader() {
    memory.checkOpen("telemetry");
    return new TelemetryReader(memory.asReadOnly());
  }

  /**
   * Takes a last sample, stops the sampling thread and frees the memory. If the telemetry is in a
   * file, the file remains and can still be read.
   *
   * <p>The call waits at most half a second for the last sample. If a source takes longer, its last
   * values and those of the sources after it are lost, and the source may still be running when
   * this method returns. If a source itself calls this method, the last sample leaves that source
   * out. Repeated calls are allowed. If another call is already closing the telemetry, the method
   * returns at once.
   */
  @Override
  public void close() {
    if (sampler.close()) {
      synchronized (this) {
        memory.release().run();
      }
    }
  }

  /** Returns where the memory is, how many slots are used, and whether the telemetry is open. */
  @Override
  public synchronized String toString() {
    String state = memory.isOpen() ? "open" : "closed";
    return "Telemetry[%s, capacity=%s, used=%s, %s]"
        .formatted(memory.name(), table.capacity(), used.cardinality(), state);
  }
}
