package dev.millrace.telemetry;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.telemetry.internal.CounterTable;
import dev.millrace.telemetry.internal.TraceLog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Reads the counters and gauges of a {@link Telemetry}: those of this process, or those in a file,
 * whether the process that made it is still running or has died.
 *
 * {@snippet file="Examples.java" region="read"}
 *
 * <p><b>Roles.</b> There may be any number of readers, and any threads may use each. They write
 * nothing.
 *
 * <p><b>Progress.</b> Lock-free: a slot is read again only if it was given to another counter
 * during the read. Writers are unaware of readers.
 *
 * <p><b>Ordering.</b> A label comes with its own counter's value, never with that of an earlier or
 * later counter in the same slot. Values of different counters are not from the same moment. If a
 * counter's value is lower than in an earlier reading, the counter was closed in between and its
 * label was given to a new one.
 *
 * <p><b>Failure.</b> A file that is not a telemetry file, or is incomplete, truncated, damaged, or
 * of another version or byte order, is refused with an {@link IOException} that names the file, the
 * field, the rule and the value. Truncating a file while it is open makes the JVM throw an {@link
 * InternalError}; this library never does that, because a new file does not overwrite the previous
 * one. After {@link #close()} all operations throw {@link IllegalStateException}.
 *
 * <p><b>Cost.</b> Takes time proportional to the capacity, and allocates what it returns.
 *
 * <p><b>Source.</b> The reader of a sequence lock, as in Boehm, <a
 * href="https://doi.org/10.1145/2247684.2247688">Can Seqlocks Get Along With Programming Language
 * Memory Models?</a> (2012); what is validated is the slot's generation.
 *
 * @since 0.1.0
 */
public final class TelemetryReader implements AutoCloseable {
  private final TelemetryMemory memory;
  private final TelemetryHeader header;
  private final CounterTable table;
  private final TraceLog log; // null if there is none

  TelemetryReader(TelemetryMemory memory) {
    this.memory = memory;
    this.header = memory.header();
    this.table = memory.counters();
    this.log = memory.traceLog();
  }

  /**
   * Opens a file.
   *
   * @param file made by {@link Telemetry#create}
   * @return the reader
   * @throws IOException if the file cannot be read, or is refused
   */
  public static TelemetryReader open(Path file) throws IOException {
    TelemetryReader reader = new TelemetryReader(TelemetryFile.open(Checks.notNull("file", file)));
    try {
      var _ = reader.counters(); // throws if a slot is damaged
      return reader;
    } catch (IllegalStateException e) {
      reader.close();
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * Reads all counters.
   *
   * @return their values by label, in the order of their slots; for a counter with stripes, their
   *     sum
   * @throws IllegalStateException if the reader or the telemetry is closed, or the memory is
   *     damaged
   */
  public Map<String, Long> counters() {
    return values(CounterTable.COUNTER);
  }

  /**
   * Reads all gauges.
   *
   * @return their values by label, in the order of their slots
   * @throws IllegalStateException if the reader or the telemetry is closed, or the memory is
   *     damaged
   */
  public Map<String, Long> gauges() {
    return values(CounterTable.GAUGE);
  }

  private Map<String, Long> values(int kind) {
    memory.checkOpen("reader");
    Map<String, Long> values = new LinkedHashMap<>();
    for (int slot = 0; slot < table.capacity(); slot++) {
      CounterTable.Copy copy = table.read(slot);
      if (copy != null) {
        check(slot, copy);
        if (copy.kind() == kind) {
          values.put(copy.label(), copy.value());
        }
      }
    }
    return Collections.unmodifiableMap(values);
  }

  private void check(int slot, CounterTable.Copy copy) {
    boolean isKnown = copy.kind() == CounterTable.COUNTER || copy.kind() == CounterTable.GAUGE;
    if (copy.stripes() == 0 || !isKnown) {
      throw new IllegalStateException(
          "%s: info of slot %s must be of a counter: info=0x%x"
              .formatted(memory.name(), slot, copy.info()));
    }
  }

  /**
   * Returns how many counters are being created at this moment or, in the file of a process that
   * has died, were being created when it died. They are not among the counters and gauges.
   *
   * @return the number
   * @throws IllegalStateException if the reader or the telemetry is closed
   */
  public int unfinishedCount() {
    memory.checkOpen("reader");
    return (int)
        IntStream.range(0, table.capacity())
            .filter(slot -> CounterTable.stateOf(table.word(slot)) == CounterTable.LABELLING)
            .count();
  }

  /**
   * The number of slots for counters.
   *
   * @return the capacity; also available after close
   */
  public int capacity() {
    return header.capacity();
  }

  /**
   * The process that created the telemetry.
   *
   * @return its id; also available after close
   */
  public long processId() {
    return header.processId();
  }

  /**
   * When the telemetry was created.
   *
   * @return the time; also available after close
   */
  public Instant startTime() {
    return header.timeOf(header.startNanoTime());
  }

  /**
   * Converts a {@link System#nanoTime()} of the process that created the telemetry to the time of
   * day. Adjustments made to the wall clock since then are not taken into account.
   *
   * @param nanoTime the value that the process read
   * @return the time; also available after close
   */
  public Instant timeOf(long nanoTime) {
    return header.timeOf(nanoTime);
  }

  // ---- the trace log ----

  /**
   * How many records the trace log keeps.
   *
   * @return the number, also after close; 0 if there is no trace log
   */
  public int traceCapacity() {
    return header.traceRecords();
  }

  /**
   * The size of a record of the trace log: header, fields and text together.
   *
   * @return bytes, also after close; 0 if there is no trace log
   */
  public int traceRecordBytes() {
    return header.recordBytes();
  }

  /**
   * Returns how many records have been claimed since the trace log was created, committed or not.
   * Records left out by a writer's limits are not among them.
   *
   * @return the number; 0 if there is no trace log
   * @throws IllegalStateException if the reader or the telemetry is closed
   */
  public long traceClaimedCount() {
    memory.checkOpen("reader");
    return log == null ? 0 : log.slots().claimedCount();
  }

  /**
   * Returns how many of the claimed records were refused or aborted.
   *
   * @return the number; 0 if there is no trace log
   * @throws IllegalStateException if the reader or the telemetry is closed
   */
  public long traceRefusedCount() {
    memory.checkOpen("reader");
    return log == null ? 0 : log.slots().refusedCount();
  }

  /**
   * Creates a reader of the trace log that begins with the oldest record kept.
   *
   * @return the trace reader, which can be used until this reader is closed
   * @throws IllegalStateException if there is no trace log, or this reader is closed
   */
  public TraceReader newTraceReader() {
    memory.checkOpen("reader");
    if (log == null) {
      throw new IllegalStateException("telemetry must be made with a trace log: " + this);
    }
    return new TraceReader(header, log);
  }

  // ---- the end ----

  /**
   * Unmaps the file. A reader of this process's own telemetry has nothing to free. May be repeated.
   */
  @Override
  public synchronized void close() {
    if (memory.isOpen()) {
      memory.release().run();
    }
  }

  /** Returns what it reads, of which process, and whether it is open. */
  @Override
  public String toString() {
    String state = memory.isOpen() ? "open" : "closed";
    return "TelemetryReader[%s, processId=%s, %s]".formatted(memory.name(), processId(), state);
  }
}
