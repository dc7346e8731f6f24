package dev.millrace.telemetry;

import dev.millrace.core.Measured;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Role;
import dev.millrace.flyweight.FlyweightType;
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

/**
 * Counters, gauges and the trace log of a process, in memory or in a file that other processes can
 * read.
 *
 * <pre>{@code
 * try (Telemetry telemetry = Telemetry.create(Path.of("service.telemetry"), Options.defaults())) {
 *   Counter orders = telemetry.counter("orders");
 *   telemetry.report("orders.queue", queue);     // one line, and it reports itself
 *   ...
 *   orders.increment();
 * }
 * }</pre>
 *
 * <p><b>Roles.</b> Any thread calls any method. Sources are read by a daemon thread of this object,
 * by threads that call {@code report} or {@link #sample()}, and by another thread on {@link
 * #close()}; each source by one thread at a time.
 *
 * <p><b>Progress.</b> Making and freeing counters and trace writers takes a lock; writing and
 * reading takes none. No source is read under that lock. A slow source delays the samples of the
 * sources after it, on the sampling thread, which rests for a period between two rounds, and in
 * {@link #sample()}. {@link #close()} waits at most half a second for the last sample.
 *
 * <p><b>Ordering.</b> A reader sees a label with that counter's values, or not at all. Values of
 * different counters are not of one moment.
 *
 * <p><b>Labels</b> are unique: one that is in use is refused. It can be used again when its counter
 * is closed.
 *
 * <p><b>Failure.</b> A full table is an {@link IllegalStateException} that names its capacity. A
 * source that throws keeps its last values and is counted in {@code <name>.sampleFailures}. The
 * file has all its space when it is made, so a full disk is an {@link IOException} then; what was
 * written to counters outlives the process, however it ends, but perhaps not the machine. After
 * {@link #close()} all operations throw {@link IllegalStateException}.
 *
 * <p><b>Cost.</b> 384 bytes for each slot, 4,096 for the header, and for a trace log 262,400 bytes
 * and each record's size plus 8, rounded up to a multiple of 8. Reporting costs a queue nothing: it
 * is sampled from sequences that it has anyway. An {@code MpscQueue} takes 12 slots.
 *
 * <p><b>Source.</b> The file is described in {@code docs/TELEMETRY.md}.
 *
 * @since 0.1.0
 */
public final class Telemetry implements AutoCloseable {
  /**
   * How telemetry is set up.
   *
   * @param capacity the number of slots, from 1 to 2<sup>20</sup>: a counter takes one for each of
   *     its stripes, a gauge takes one
   * @param traceRecords how many records the trace log keeps, up to 2<sup>24</sup>; 0 for no log
   * @param recordBytes the size of each, from 17 to 65,536 bytes: 16 of a head, then fields and
   *     text; 0 if there is no log
   * @param hasSoleTraceWriter whether one thread at a time writes the log, without atomic updates
   * @param samplePeriod how long the sampling thread rests between two rounds, at least a
   *     millisecond; zero for samples only when {@link #sample()} is called
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
     * Makes options.
     *
     * @throws IllegalArgumentException if a number is not in its range
     */
    public Options {
      TelemetryHeader.checkSizes(capacity, traceRecords, recordBytes);
      long nanos = Checks.nanos("samplePeriod", samplePeriod);
      if (nanos != 0) {
        Checks.inRange("samplePeriod", nanos, LEAST_PERIOD_NANOS, Long.MAX_VALUE);
      }
    }

    /**
     * 256 slots, no trace log, a sample each second.
     *
     * @return the options
     */
    public static Options defaults() {
      return new Options(256, 0, 0, false, Duration.ofSeconds(1));
    }

    /**
     * The same with another capacity.
     *
     * @param slots the number of slots
     * @return the changed options
     */
    public Options withCapacity(int slots) {
      return new Options(slots, traceRecords, recordBytes, hasSoleTraceWriter, samplePeriod);
    }

    /**
     * The same with a trace log that any threads write.
     *
     * @param records how many records it keeps
     * @param bytes the size of each: 16 of a head, then fields and text
     * @return the changed options
     */
    public Options withTrace(int records, int bytes) {
      return new Options(capacity, records, bytes, false, samplePeriod);
    }

    /**
     * The same with a trace log that one thread at a time writes.
     *
     * @param records how many records it keeps
     * @param bytes the size of each: 16 of a head, then fields and text
     * @return the changed options
     */
    public Options withTraceOfOneWriter(int records, int bytes) {
      return new Options(capacity, records, bytes, true, samplePeriod);
    }

    /**
     * The same with another period.
     *
     * @param period how often sources are sampled; zero for only on demand
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
  private final TraceWriters trace; // or null

  // guarded by this
  private final BitSet used = new BitSet();
  private final Set<String> labels = new HashSet<>();
  private int next; // where to look for free slots first, so that one stays free for a while

  private Telemetry(TelemetryMemory memory, Options options) {
    this.memory = memory;
    this.table = memory.counters();
    this.values = CounterValues.of(table.memory());
    this.sampler = new Sampler(options.samplePeriod());
    TraceLog log = memory.traceLog();
    this.trace = log == null ? null : new TraceWriters(log, options.hasSoleTraceWriter());
  }

  /**
   * Makes telemetry for this process alone.
   *
   * @param options its sizes
   * @return the telemetry
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static Telemetry inMemory(Options options) {
    Checks.notNull("options", options);
    return new Telemetry(TelemetryMemory.allocate(TelemetryHeader.now(options)), options);
  }

  /**
   * Makes telemetry in a file. An older telemetry file at that path is removed; processes that have
   * it open go on reading it.
   *
   * @param file the path; a file there that is not a telemetry file is refused
   * @param options its sizes
   * @return the telemetry
   * @throws IOException if the file cannot be made, also because the disk is full
   */
  public static Telemetry create(Path file, Options options) throws IOException {
    Checks.notNull("file", file);
    Checks.notNull("options", options);
    return new Telemetry(TelemetryFile.create(file, TelemetryHeader.now(options)), options);
  }

  // ---- counters ----

  /**
   * Makes a counter that any thread adds to.
   *
   * @param label what it is called, 1 to 240 bytes in UTF-8; used by no other
   * @return the counter, of value 0
   * @throws IllegalArgumentException if the label is empty or longer, or in use
   * @throws IllegalStateException if the table is full
   */
  public Counter counter(String label) {
    return counter(label, 1);
  }

  /**
   * Makes a counter that many threads add to at once, each to one of several stripes.
   *
   * @param label what it is called, 1 to 240 bytes in UTF-8; used by no other
   * @param stripes how many, a power of two in 1..64; each takes a slot
   * @return the counter, of value 0
   * @throws IllegalArgumentException if the label is empty or longer, or in use, or the stripes are
   *     no such number
   * @throws IllegalStateException if the table has not as many free slots in a row
   */
  public Counter counter(String label, int stripes) {
    if (stripes < 1 || stripes > Counter.MAX_STRIPES || Integer.bitCount(stripes) != 1) {
      throw new IllegalArgumentException(
          "stripes must be a power of two in 1.." + Counter.MAX_STRIPES + ": stripes=" + stripes);
    }
    return new Counter(this, values, allocate(label, CounterTable.COUNTER, stripes), null);
  }

  /**
   * Makes a counter that one thread at a time adds to, without an atomic update.
   *
   * @param label what it is called, 1 to 240 bytes in UTF-8; used by no other
   * @return the counter, of value 0
   * @throws IllegalArgumentException if the label is empty or longer, or in use
   * @throws IllegalStateException if the table is full
   */
  public Counter soleWriterCounter(String label) {
    Role writer = new Role("a counter of a sole writer has one writer");
    return new Counter(this, values, allocate(label, CounterTable.COUNTER, 1), writer);
  }

  /**
   * Makes a gauge that any thread sets, or adds to.
   *
   * @param label what it is called, 1 to 240 bytes in UTF-8; used by no other
   * @return the gauge, of value 0
   * @throws IllegalArgumentException if the label is empty or longer, or in use
   * @throws IllegalStateException if the table is full
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
              .formatted(table.labelBytes(), bytes.length, label));
    }
    memory.checkOpen("telemetry");
    if (labels.contains(label)) {
      throw new IllegalArgumentException("label must not be in use already: label=" + label);
    }
    int slot = freeSlots(stripes);
    if (slot < 0) {
      throw new IllegalStateException(
          "counters must fit the table: capacity=%s, used=%s, slots asked for in a row=%s, label=%s"
              .formatted(table.capacity(), used.cardinality(), stripes, label));
    }
    table.label(slot, kind, stripes, bytes);
    long word = table.publish(slot);
    used.set(slot, slot + stripes);
    labels.add(label);
    next = slot + stripes;
    return new Labelled.Place(table, slot, word, stripes, label);
  }

  /** Finds a row of free slots, from the next one on; returns the first of them, or -1. */
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
   * Lets a queue, a ring, a pipeline or anything else that is measured report itself.
   *
   * @param label begins the labels of its counters and gauges: {@code label.size}, {@code
   *     label.consumed}; and of {@code label.sampleFailures}
   * @param measured what to sample; is still reported after it was closed
   * @throws IllegalArgumentException if one of the labels is too long, or in use
   * @throws IllegalStateException if the table has not as many free slots
   */
  public void report(String label, Measured measured) {
    Checks.notNull("measured", measured);
    report(label, measured.counters(), measured.gauges(), measured::readMetrics);
  }

  /**
   * Lets a number report itself, as a gauge.
   *
   * @param label the gauge's label
   * @param value supplies the number
   * @throws IllegalArgumentException if the label is too long, or in use
   * @throws IllegalStateException if the table has not as many free slots
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
   * Ends a report and frees its counters. A call of the source in progress is not waited for, and
   * its values are dropped. Does nothing if there is no such report, or if this is closed.
   *
   * @param label the label that was given to {@code report}
   */
  public void stopReporting(String label) {
    sampler.remove(Checks.notNull("label", label));
  }

  /**
   * Samples all sources now, on the calling thread. Waits for a source that another thread is
   * reading, and then reads it again. Sources that throw are counted.
   *
   * @throws IllegalStateException if it is closed, or if a source calls this
   */
  public void sample() {
    sampler.sample();
  }

  // ---- the trace log ----

  /**
   * Makes a writer of the trace log, for one thread.
   *
   * @param <T> the view of a record's fields
   * @param name the writer's name, for readers
   * @param type the name of its records' type, for readers
   * @param fields describes a record's fields; readers get the layout too
   * @return the writer; close it when the thread is done
   * @throws IllegalArgumentException if the layout does not fit the log's records, or name, type
   *     and layout are longer together than 1,008 bytes or have a NUL
   * @throws IllegalStateException if there is no trace log, or this is closed, or there are 256
   *     writers, counting those closed until all their records are overwritten
   */
  public <T> TraceWriter<T> newTraceWriter(String name, String type, FlyweightType<T> fields) {
    return newTraceWriter(name, type, fields, 1, Integer.MAX_VALUE);
  }

  /**
   * Makes a writer of the trace log, for one thread, that leaves records out. {@link
   * TraceWriter#leftOutCount()} says how many.
   *
   * @param <T> the view of a record's fields
   * @param name the writer's name, for readers
   * @param type the name of its records' type, for readers
   * @param fields describes a record's fields; readers get the layout too
   * @param every one record in this many is written, at least 1
   * @param perSecond the most records in a second, at least 1. A second begins with the first
   *     record after the former second
   * @return the writer; close it when the thread is done
   * @throws IllegalArgumentException as above, or if a number is below 1
   * @throws IllegalStateException as above
   */
  public synchronized <T> TraceWriter<T> newTraceWriter(
      String name, String type, FlyweightType<T> fields, int every, int perSecond) {
    memory.checkOpen("telemetry");
    if (trace == null) {
      throw new IllegalStateException("telemetry must be made with a trace log: " + this);
    }
    return trace.newWriter(name, type, fields, every, perSecond, this::giveBack);
  }

  private synchronized void giveBack(TraceWriter<?> writer) {
    if (memory.isOpen()) {
      trace.giveBack(writer);
    }
  }

  // ---- the whole ----

  /**
   * Makes a reader of the same memory, for this process.
   *
   * @return the reader, which can be used until this is closed
   * @throws IllegalStateException if it is closed
   */
  public TelemetryReader newReader() {
    memory.checkOpen("telemetry");
    return new TelemetryReader(memory.asReadOnly());
  }

  /**
   * Ends the sampler, after a last sample, and frees the memory. A file stays and can be read.
   *
   * <p>Waits at most half a second for the last sample. If a source has not returned by then, its
   * last values and those of the sources after it are lost, and its call may go on after this
   * method has returned. A source may call this method; it is then left out of the last sample. May
   * be repeated; a call while another is closing it returns at once.
   */
  @Override
  public void close() {
    if (sampler.close()) {
      synchronized (this) {
        memory.release().run();
      }
    }
  }

  /** Returns where it lies, how many slots are used, and whether it is open. */
  @Override
  public synchronized String toString() {
    String state = memory.isOpen() ? "open" : "closed";
    return "Telemetry[%s, capacity=%s, used=%s, %s]"
        .formatted(memory.name(), table.capacity(), used.cardinality(), state);
  }
}
