package dev.millrace.telemetry;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.telemetry.internal.CounterTable;
import dev.millrace.telemetry.internal.TraceLog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the counters, gauges and trace log of a {@link Telemetry}, either in this process or from a
 * file. The process that created the file may be running or may have died.
 *
 * {@snippet file="Examples.java" region="read"}
 *
 * <p><b>Roles.</b> There may be any number of readers, and any thread may use any reader. Readers
 * write nothing.
 *
 * <p><b>Progress.</b> Reading is lock-free: a reader repeats the read of a slot only if the slot
 * was given to a different counter during the read. Readers never delay writers.
 *
 * <p><b>Ordering.</b> A label comes with the value of its own counter, never with the value of an
 * earlier or later counter in the same slot. Values of different counters are not from the same
 * moment. If the value of a counter is lower than in an earlier reading, the earlier counter has
 * been closed and a new counter has the same label.
 *
 * <p><b>Failure.</b> A reader rejects a file that is not a telemetry file, and a telemetry file
 * that is incomplete, truncated or damaged, or that has a different version or byte order. The
 * {@link IOException} for a rejected file names the file, the field, the rule and the value. If a
 * file is truncated while it is open, the JVM throws an {@link InternalError}. This library never
 * truncates a file: a new file replaces the previous file without overwriting it. After {@link
 * #close()}, methods that read counters, gauges or the trace log throw {@link
 * IllegalStateException}.
 *
 * <p><b>Cost.</b> A read takes time proportional to the capacity, and allocates memory for its
 * result.
 *
 * <p><b>Source.</b> The protocol is the reader's side of a sequence lock, as in Boehm, <a
 * href="https://doi.org/10.1145/2247684.2247688">Can Seqlocks Get Along With Programming Language
 * Memory Models?</a> (2012). The reader validates the slot's generation.
 *
 * @since 0.1.0
 */
public final class TelemetryReader implements AutoCloseable {
  /** The tolerance for when a process started, because the system may report whole seconds. */
  private static final Duration START_TOLERANCE = Duration.ofSeconds(2);

  private final TelemetryMemory memory;
  private final TelemetryHeader header;
  private final CounterTable table;
  private final @Nullable TraceLog log; // null if there is none

  TelemetryReader(TelemetryMemory memory) {
    this.memory = memory;
    this.header = memory.header();
    this.table = memory.counters();
    this.log = memory.traceLog();
  }

  /**
   * Opens a file.
   *
   * @param file a file made by {@link Telemetry#create}
   * @return the reader
   * @throws IOException if the file cannot be read, or is rejected
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
   * @return the values by label, in the order of the slots. The value of a counter with stripes is
   *     the sum over its stripes
   * @throws IllegalStateException if the reader or the telemetry is closed, or the memory is
   *     damaged
   */
  public Map<String, Long> counters() {
    return values(CounterTable.COUNTER);
  }

  /**
   * Reads all gauges.
   *
   * @return the values by label, in the order of the slots
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
   * Returns how many counters and gauges are being created at this moment. If the process that
   * created the file has died, the method returns how many counters and gauges that process was
   * creating when it died. {@link #counters()} and {@link #gauges()} leave out unfinished counters
   * and gauges.
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
   * Returns the number of slots for counters.
   *
   * @return the capacity, which is available even after close
   */
  public int capacity() {
    return header.capacity();
  }

  /**
   * Returns the id of the process that created the telemetry.
   *
   * @return the id, which is available even after close
   */
  public long processId() {
    return header.processId();
  }

  /**
   * Returns whether the process that created the telemetry is running. A process with the same id
   * that started clearly after the telemetry was created is a different process, which has got the
   * id of one that has ended. A process in a different namespace, such as a container's, counts as
   * ended, because it cannot be seen from here.
   *
   * @return false if the process has ended. The answer is available even after close
   */
  public boolean isProcessRunning() {
    Instant latestStart = startTime().plus(START_TOLERANCE);
    return ProcessHandle.of(processId())
        .filter(ProcessHandle::isAlive)
        .filter(process -> process.info().startInstant().filter(latestStart::isBefore).isEmpty())
        .isPresent();
  }

  /**
   * Returns when the telemetry was created.
   *
   * @return the time, which is available even after close
   */
  public Instant startTime() {
    return header.timeOf(header.startNanoTime());
  }

  /**
   * Converts a {@link System#nanoTime()} value to wall-clock time. The value must come from the
   * process that created the telemetry. The conversion ignores adjustments made to the wall clock
   * after the telemetry was created.
   *
   * @param nanoTime the value that the process read
   * @return the time, which is available even after close
   */
  public Instant timeOf(long nanoTime) {
    return header.timeOf(nanoTime);
  }

  // ---- the trace log ----

  /**
   * Returns how many records the trace log keeps.
   *
   * @return the number, which is available even after close, or 0 if there is no trace log
   */
  public int traceCapacity() {
    return header.traceRecords();
  }

  /**
   * Returns the size of a record in the trace log, including the header, fields and text.
   *
   * @return the size in bytes, which is available even after close, or 0 if there is no trace log
   */
  public int traceRecordBytes() {
    return header.recordBytes();
  }

  /**
   * Returns how many records have been claimed since the trace log was created, committed or not.
   * Records left out by a writer's limits do not count.
   *
   * @return the number, or 0 if there is no trace log
   * @throws IllegalStateException if the reader or the telemetry is closed
   */
  public long traceClaimedCount() {
    memory.checkOpen("reader");
    return log == null ? 0 : log.slots().claimedCount();
  }

  /**
   * Returns how many of the claimed records were refused or aborted.
   *
   * @return the number, or 0 if there is no trace log
   * @throws IllegalStateException if the reader or the telemetry is closed
   */
  public long traceRefusedCount() {
    memory.checkOpen("reader");
    return log == null ? 0 : log.slots().refusedCount();
  }

  /**
   * Creates a reader of the trace log that begins with the oldest record still in the log.
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
   * Unmaps the file. A reader of this process's own telemetry has nothing to free. Repeated calls
   * are allowed.
   */
  @Override
  public synchronized void close() {
    if (memory.isOpen()) {
      memory.release().run();
    }
  }

  /** Returns the file or memory, the id of the process, and whether the reader is open. */
  @Override
  public String toString() {
    String state = memory.isOpen() ? "open" : "closed";
    return "TelemetryReader[%s, processId=%s, %s]".formatted(memory.name(), processId(), state);
  }
}
