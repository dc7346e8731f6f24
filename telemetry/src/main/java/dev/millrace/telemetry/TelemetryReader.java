package dev.millrace.telemetry;

import dev.millrace.core.internal.Checks;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Reads the counters and gauges of a {@link Telemetry}: of this process, or of a file whose process
 * runs or has died.
 *
 * <pre>{@code
 * try (TelemetryReader reader = TelemetryReader.open(Path.of("service.telemetry"))) {
 *   reader.counters().forEach((label, value) -> System.out.println(label + " " + value));
 *   Long depth = reader.gauges().get("depth");
 * }
 * }</pre>
 *
 * <p><b>Roles.</b> Any number of readers, each used by any threads. They write nothing.
 *
 * <p><b>Progress.</b> Lock-free: a slot is read again only if it was given to another counter
 * meanwhile. Writers do not know of readers.
 *
 * <p><b>Ordering.</b> A label comes with its own counter's value, never with that of a counter that
 * had the slot before or has it afterwards. Values of different counters are not of one moment. A
 * counter whose value is lower than in an earlier reading was closed meanwhile, and its label given
 * to a new counter.
 *
 * <p><b>Failure.</b> A file that is not a telemetry file, or is half-made, truncated, damaged, or
 * of another version or byte order, is refused by an {@link IOException} that names file, field,
 * rule and value. Truncating a file while it is open makes the JVM throw an {@link InternalError};
 * this library never does that, since a new file does not overwrite the former one. After {@link
 * #close()} all operations throw {@link IllegalStateException}.
 *
 * <p><b>Cost.</b> Time in proportion to the capacity; allocates what it returns.
 *
 * <p><b>Source.</b> A sequence lock's reader, as in Boehm, <a
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
   * @throws IOException if it cannot be read, or is refused
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
   * @return their values by label, in the order of their slots; of a counter with stripes the sum
   * @throws IllegalStateException if the reader or the telemetry is closed, or the memory damaged
   */
  public Map<String, Long> counters() {
    return values(CounterTable.COUNTER);
  }

  /**
   * Reads all gauges.
   *
   * @return their values by label, in the order of their slots
   * @throws IllegalStateException if the reader or the telemetry is closed, or the memory damaged
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
   * How many counters are being made at this moment; in the file of a process that has died, those
   * that it was making. They are not among the counters and gauges.
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
   * @return the capacity, also after close
   */
  public int capacity() {
    return header.capacity();
  }

  /**
   * The process that made the telemetry.
   *
   * @return its id, also after close
   */
  public long processId() {
    return header.processId();
  }

  /**
   * When the telemetry was made.
   *
   * @return the time, also after close
   */
  public Instant startTime() {
    return header.timeOf(header.startNanoTime());
  }

  /**
   * What time it was when the process that made the telemetry read its {@link System#nanoTime()}.
   * Later steps of the wall clock are not in it.
   *
   * @param nanoTime what it read
   * @return the time, also after close
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
   * The size of a record of the trace log: head, fields and text together.
   *
   * @return bytes, also after close; 0 if there is no trace log
   */
  public int traceRecordBytes() {
    return header.recordBytes();
  }

  /**
   * How many records were claimed since the trace log was made, committed or not. Those that a
   * writer's limits left out are not among them.
   *
   * @return the number; 0 if there is no trace log
   * @throws IllegalStateException if the reader or the telemetry is closed
   */
  public long traceClaimedCount() {
    memory.checkOpen("reader");
    return log == null ? 0 : log.slots().claimedCount();
  }

  /**
   * How many of the claimed records were refused or aborted.
   *
   * @return the number; 0 if there is no trace log
   * @throws IllegalStateException if the reader or the telemetry is closed
   */
  public long traceRefusedCount() {
    memory.checkOpen("reader");
    return log == null ? 0 : log.slots().refusedCount();
  }

  /**
   * Makes a reader of the trace log, which begins with the oldest record that is there.
   *
   * @return the reader, which can be used until this is closed
   * @throws IllegalStateException if there is no trace log, or this is closed
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
