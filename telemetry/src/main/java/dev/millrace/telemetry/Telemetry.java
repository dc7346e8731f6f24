package dev.millrace.telemetry;

import dev.millrace.core.Measured;
import dev.millrace.core.Measured.Metric;
import dev.millrace.core.NativeMemory;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.HistorySlots;
import dev.millrace.core.internal.HistoryWriter;
import dev.millrace.core.internal.Role;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Counters and gauges of a process, in memory or in a file that other processes can read.
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
 * <p><b>Progress.</b> Counters are made, freed and reported under a lock; writing and reading them
 * takes none. No source is read under that lock. A slow source delays the samples of the sources
 * after it, on the sampling thread and in {@link #sample()}; a sample that takes longer than the
 * period is followed by a pause of one period. {@link #close()} waits for the last sample for half
 * a second at most.
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
 * <p><b>Cost.</b> 384 bytes for each slot and 4,096 for the header. Reporting costs a queue
 * nothing: it is sampled from sequences that it has anyway. An {@code MpscQueue} takes 12 slots.
 *
 * <p><b>Source.</b> The file is described in {@code docs/TELEMETRY.md}.
 *
 * @since 0.1.0
 */
public final class Telemetry implements AutoCloseable {
  static final int MAX_CAPACITY = 1 << 20;

  /**
   * What telemetry is made with.
   *
   * @param capacity the number of slots, from 1 to 2<sup>20</sup>: a counter takes one for each of
   *     its stripes, a gauge takes one
   * @param traceRecords how many records the trace log keeps, up to 2<sup>24</sup>; 0 for no log
   * @param recordBytes the size of each, from 17 to 65,536 bytes: 16 of a head, then fields and
   *     text; 0 if there is no log
   * @param hasSoleTraceWriter whether one thread at a time writes the log, without atomic updates
   * @param samplePeriod how often sources are sampled, at least a millisecond; zero for only when
   *     {@link #sample()} is called
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
      Checks.inRange("capacity", capacity, 1, MAX_CAPACITY);
      Checks.inRange("traceRecords", traceRecords, 0, TraceSection.MAX_RECORDS);
      int least = traceRecords == 0 ? 0 : TraceSection.MIN_RECORD_BYTES;
      int most = traceRecords == 0 ? 0 : TraceSection.MAX_RECORD_BYTES;
      Checks.inRange("recordBytes", recordBytes, least, most);
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

    TraceSection trace() {
      return new TraceSection(traceRecords, recordBytes);
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

  /**
   * Something that reports itself, until this is closed.
   *
   * @since 0.1.0
   */
  public interface Reporting extends AutoCloseable {
    /**
     * Stops the reports and frees their counters. A call of the source in progress is not waited
     * for, and its values are dropped. Does nothing if already closed.
     */
    @Override
    void close();
  }

  private final TelemetryHeader header;
  private final MemorySegment memory;
  private final Runnable release; // of the memory
  private final CounterTable table;
  private final CounterValues values;
  private final String name;
  private final Sampler sampler;
  private final TraceLog trace; // or null

  // guarded by this
  private final BitSet used = new BitSet();
  private final Set<String> labels = new HashSet<>();
  private int next; // where to look for free slots first, so that one stays free for a while

  private Telemetry(
      TelemetryHeader header,
      MemorySegment memory,
      Runnable release,
      String name,
      Options options) {
    this.header = header;
    this.memory = memory;
    this.release = release;
    this.table = header.counters(memory);
    this.values = CounterValues.of(table.memory());
    this.name = name;
    this.sampler = new Sampler(options.samplePeriod());
    this.trace = header.trace().isThere() ? newTrace(options) : null;
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
    TelemetryHeader header = TelemetryHeader.now(options.capacity(), options.trace());
    NativeMemory owned = NativeMemory.allocate(header.sizeBytes());
    return new Telemetry(header, owned.segment(), owned::close, "in memory", options);
  }

  /**
   * Makes telemetry in a file. A former file of telemetry at that place is removed; who reads it
   * goes on to read the former one.
   *
   * @param file where; any other file there is refused
   * @param options its sizes
   * @return the telemetry
   * @throws IOException if the file cannot be made, also because the disk is full
   */
  public static Telemetry create(Path file, Options options) throws IOException {
    Checks.notNull("file", file);
    Checks.notNull("options", options);
    TelemetryHeader header = TelemetryHeader.now(options.capacity(), options.trace());
    Arena arena = Arena.ofShared();
    try {
      MemorySegment memory = TelemetryFile.create(file, header, arena);
      return new Telemetry(header, memory, arena::close, file.toString(), options);
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
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
    return newCounter(label, 1, null);
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
    return newCounter(label, stripes, null);
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
    return newCounter(label, 1, new Role("a counter of a sole writer has one writer"));
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

  private Counter newCounter(String label, int stripes, Role writer) {
    return new Counter(this, values, allocate(label, CounterTable.COUNTER, stripes), writer);
  }

  private synchronized Labelled.Place allocate(String label, int kind, int stripes) {
    byte[] bytes = Labels.bytes(label);
    checkOpen();
    if (labels.contains(label)) {
      throw new IllegalArgumentException("label must not be in use already: label=" + label);
    }
    int slot = freeSlots(next, stripes);
    if (slot < 0) {
      slot = freeSlots(0, stripes);
    }
    if (slot < 0) {
      throw new IllegalStateException(
          "counters must fit the table: capacity="
              + table.capacity()
              + ", used="
              + used.cardinality()
              + ", slots asked for in a row="
              + stripes
              + ", label="
              + label);
    }
    table.label(slot, CounterTable.info(kind, stripes, bytes.length), Labels.words(bytes));
    long word = table.publish(slot);
    used.set(slot, slot + stripes);
    labels.add(label);
    next = slot + stripes;
    return new Labelled.Place(table, slot, word, stripes, label);
  }

  /** The first of so many free slots in a row, or -1. */
  private int freeSlots(int from, int count) {
    int first = used.nextClearBit(from);
    while (first + count <= table.capacity()) {
      int taken = used.nextSetBit(first);
      if (taken < 0 || taken >= first + count) {
        return first;
      }
      first = used.nextClearBit(taken);
    }
    return -1;
  }

  synchronized void free(Labelled one) {
    checkOpen();
    Labelled.Place place = one.free();
    used.clear(place.slot(), place.slot() + place.stripes());
    labels.remove(place.label());
  }

  // ---- sources ----

  /**
   * Lets a queue, a ring, a pipeline or anything else that is measured report itself.
   *
   * @param label begins the labels of its counters and gauges: {@code label.size}, {@code
   *     label.consumed}; and of {@code label.sampleFailures}
   * @param measured what to sample; goes on to be reported when it is closed
   * @return ends it
   * @throws IllegalArgumentException if one of the labels is too long, or in use
   * @throws IllegalStateException if the table has not as many free slots
   */
  public Reporting report(String label, Measured measured) {
    Checks.notNull("label", label);
    Checks.notNull("measured", measured);
    List<Labelled> places = new ArrayList<>();
    try {
      for (Metric metric : measured.metrics()) {
        String full = metric.name().isEmpty() ? label : label + "." + metric.name();
        places.add(metric.isGauge() ? gauge(full) : counter(full));
      }
      Counter failures = counter(label + ".sampleFailures");
      Sampler.Task task = new Sampler.Task(label, measured, places, failures);
      places.add(failures);
      sampler.add(task);
      return () -> sampler.remove(task);
    } catch (RuntimeException e) {
      places.forEach(Labelled::close);
      throw e;
    }
  }

  /**
   * Lets a number report itself, as a gauge.
   *
   * @param label the gauge's label
   * @param value is asked for it
   * @return ends it
   * @throws IllegalArgumentException if the label is too long, or in use
   * @throws IllegalStateException if the table has not as many free slots
   */
  public Reporting report(String label, LongSupplier value) {
    Checks.notNull("value", value);
    return report(label, new Single(value));
  }

  /** A number, which has no name but its label. */
  private record Single(LongSupplier value) implements Measured {
    private static final List<Metric> METRICS = List.of(Metric.gauge(""));

    @Override
    public List<Metric> metrics() {
      return METRICS;
    }

    @Override
    public void readMetrics(long[] values) {
      values[0] = value.getAsLong();
    }
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
   * The trace log.
   *
   * @return always the same
   * @throws IllegalStateException if it was made without one, or is closed
   */
  public TraceLog traceLog() {
    checkOpen();
    if (trace == null) {
      throw new IllegalStateException("telemetry must be made with a trace log: " + this);
    }
    return trace;
  }

  private TraceLog newTrace(Options options) {
    TraceSection section = header.trace();
    MemorySegment place = header.trace(memory);
    HistorySlots slots = section.slots(place);
    HistoryWriter writer =
        options.hasSoleTraceWriter() ? HistoryWriter.ofOne(slots) : HistoryWriter.ofMany(slots);
    TraceStreams streams = section.streams(place);
    return new TraceLog(slots, writer, stream -> add(streams, stream), section.recordBytes());
  }

  private synchronized int add(TraceStreams streams, TraceStreams.Stream stream) {
    checkOpen();
    return streams.add(stream);
  }

  // ---- the whole ----

  /**
   * Makes a reader of the same memory, for this process.
   *
   * @return the reader, which can be used until this is closed
   * @throws IllegalStateException if it is closed
   */
  public TelemetryReader newReader() {
    checkOpen();
    return new TelemetryReader(header, memory.asReadOnly(), name, null);
  }

  /**
   * The number of slots for counters.
   *
   * @return the capacity, also after close
   */
  public int capacity() {
    return table.capacity();
  }

  private void checkOpen() {
    if (!memory.scope().isAlive()) {
      throw new IllegalStateException("telemetry must be open: closed, " + name);
    }
  }

  /**
   * Ends the sampler, after a last sample, and lets go of the memory. A file stays and can be read.
   *
   * <p>Waits at most half a second for the last sample. If a source has not returned by then, its
   * last values and those of the sources after it are lost, and its call may go on after this
   * method has returned. A source may call this method; it is then left out of the last sample.
   *
   * @throws IllegalStateException if it is closed already
   */
  @Override
  public void close() {
    checkOpen();
    sampler.close();
    synchronized (this) {
      checkOpen();
      release.run();
    }
  }

  /** Returns where it lies, how many slots are used, and whether it is open. */
  @Override
  public synchronized String toString() {
    return "Telemetry["
        + name
        + ", capacity="
        + capacity()
        + ", used="
        + used.cardinality()
        + (memory.scope().isAlive() ? ", open]" : ", closed]");
  }
}
