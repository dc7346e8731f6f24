package dev.millrace.stress;

import dev.millrace.core.internal.HistoryCursor;
import dev.millrace.flyweight.internal.HistoryRecordProducer;
import dev.millrace.queues.HistoryReader;
import dev.millrace.queues.HistoryRing;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec.Received;
import dev.millrace.stress.spec.HistorySpec;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceReader;
import dev.millrace.telemetry.TraceWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Writers that write flat out into a structure that keeps the newest records, and readers that rest
 * after each record: on a {@link HistoryRing}, or on a trace log, whose file the readers open.
 * Every record is checked and accounted for.
 */
final class HistoryRound implements Callable<Counts> {
  private static final int RECORD_BYTES = 64;
  private static final int BATCH = 1_000;
  private static final int EVERY = 3;

  private final boolean isTrace;
  private final int capacity;
  private final int writers;
  private final List<Duration> pauses;
  private final long nanos;
  private final CountDownLatch writing;
  private final LongAdder polls = new LongAdder();
  private volatile boolean isAbandoned;

  /**
   * Makes a round.
   *
   * @param isTrace whether it is of a trace log
   * @param capacity the records that are kept
   * @param pauses how long each reader rests after each record
   * @param nanos how long to write
   */
  HistoryRound(boolean isTrace, int capacity, int writers, List<Duration> pauses, long nanos) {
    this.isTrace = isTrace;
    this.capacity = capacity;
    this.writers = writers;
    this.pauses = List.copyOf(pauses);
    this.nanos = nanos;
    this.writing = new CountDownLatch(writers);
  }

  @Override
  public String toString() {
    return (isTrace ? "TraceLog" : "HistoryRing")
        + "("
        + capacity
        + ") "
        + writers
        + " -> "
        + pauses;
  }

  /** Runs to the end; throws an {@link AssertionError} if a record is torn or unaccounted for. */
  @Override
  public Counts call() throws Exception {
    if (!isTrace) {
      try (HistoryRing<Entry> ring = HistoryRing.multi(Entry.TYPE, capacity)) {
        return run(
            writer -> ring.newProducer(),
            () -> new RingReader(ring.newReader(capacity), capacity, writers),
            ring::claimedCount,
            ring::refusedCount);
      }
    }
    Path file = Files.createTempDirectory("millrace").resolve("soak.telemetry");
    Telemetry.Options options = Telemetry.Options.defaults().withTrace(capacity, RECORD_BYTES);
    try (Telemetry telemetry = Telemetry.create(file, options);
        TelemetryReader log = telemetry.newReader()) {
      return run(
          writer -> newTraceWriter(telemetry, writer),
          () -> FileReader.of(file, writers),
          log::traceClaimedCount,
          log::traceRefusedCount);
    } finally {
      Files.deleteIfExists(file);
      Files.delete(file.getParent());
    }
  }

  /** The last writer leaves records out. */
  private TraceWriter<Entry> newTraceWriter(Telemetry telemetry, int writer) {
    int every = writer > 0 && writer == writers - 1 ? EVERY : 1;
    return telemetry.newTraceWriter("" + writer, "entry", Entry.TYPE, every, Integer.MAX_VALUE);
  }

  private Counts run(
      IntFunction<HistoryRecordProducer<Entry>> newWriter,
      Supplier<Reader> newReader,
      LongSupplier claimed,
      LongSupplier refused)
      throws Exception {
    Crew crew = new Crew(toString(), () -> isAbandoned = true, () -> polls + " polls");
    crew.watch("readers must read", polls::sum);
    List<Counts> reads = new ArrayList<>();
    for (Duration pause : pauses) {
      Counts counts = new Counts();
      reads.add(counts);
      Reader reader = newReader.get();
      crew.start("reader", () -> read(reader, pause, counts));
    }
    List<Counts> writes = new ArrayList<>();
    long end = System.nanoTime() + nanos;
    for (int i = 0; i < writers; i++) {
      int writer = i;
      Counts counts = new Counts();
      writes.add(counts);
      crew.start("writer", () -> write(writer, newWriter.apply(writer), end, counts));
    }
    crew.join();
    return HistorySpec.balance(claimed.getAsLong(), refused.getAsLong(), writes, reads);
  }

  /** Writes rising numbers, and in a trace log the writer's name as text. */
  private void write(int writer, HistoryRecordProducer<Entry> out, long end, Counts counts) {
    TraceWriter<Entry> trace = out instanceof TraceWriter<Entry> its ? its : null;
    String name = "" + writer;
    long tried = 0;
    try {
      while (System.nanoTime() - end < 0 && !isAbandoned) {
        for (int i = 0; i < BATCH; i++, tried++) {
          Entry entry = out.tryClaim();
          if (entry != null) {
            entry.number(tried * writers + writer);
            if (trace != null) {
              trace.text(name);
            }
            out.commit();
          }
        }
      }
    } finally {
      writing.countDown();
    }
    long leftOut = trace == null ? 0 : trace.leftOutCount();
    counts
        .add("tried", tried)
        .add("left out", leftOut)
        .add("committed", tried - leftOut - out.refusedCount());
  }

  private void read(Reader reader, Duration pause, Counts counts) {
    try (reader) {
      Received received = new Received(writers, true);
      for (boolean end = false; !end; ) {
        end =
            isAbandoned
                || writing.getCount() == 0; // one more round after that, for the last records
        for (long number; (number = reader.tryPoll()) >= 0; ) {
          received.take(number);
          polls.increment();
          if (!pause.isZero() && writing.getCount() != 0) {
            LockSupport.parkNanos(pause.toNanos());
          }
        }
        counts.add("windows", reader.readWindow());
      }
      HistoryCursor cursor = reader.cursor();
      counts
          .add("read", cursor.readCount())
          .add("lost", cursor.lostCount())
          .add("refused", cursor.refusedCount());
    }
  }

  // ---- readers ----

  private interface Reader extends AutoCloseable {
    HistoryCursor cursor();

    /** The number of the next record; -1 if there is none. */
    long tryPoll();

    /** Reads the newest records besides, if the structure gives them; returns how often. */
    default int readWindow() {
      return 0;
    }

    @Override
    default void close() {
      cursor().close();
    }
  }

  private record RingReader(HistoryReader<Entry> cursor, int capacity, int writers)
      implements Reader {
    @Override
    public long tryPoll() {
      Entry entry = cursor.tryPoll();
      return entry == null ? -1 : entry.wholeNumber();
    }

    @Override
    public int readWindow() {
      Received window = new Received(writers, true);
      int count = cursor.latest(capacity);
      for (int i = 0; i < count; i++) {
        window.take(cursor.at(i).wholeNumber());
      }
      return 1;
    }
  }

  private record FileReader(TelemetryReader file, TraceReader cursor, Entry entry, int writers)
      implements Reader {
    static FileReader of(Path path, int writers) {
      try {
        TelemetryReader file = TelemetryReader.open(path);
        TraceReader reader = file.newTraceReader();
        return new FileReader(file, reader, reader.newView(Entry.TYPE), writers);
      } catch (java.io.IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    @Override
    public long tryPoll() {
      if (!cursor.tryPoll()) {
        return -1;
      }
      long number = entry.wholeNumber();
      String writer = "" + number % writers;
      QueueRound.check(
          cursor.writer().equals(writer) && cursor.text().equals(writer),
          "writer and text must be " + writer,
          cursor.writer() + ", " + cursor.text());
      return number;
    }

    @Override
    public void close() {
      cursor.close();
      file.close();
    }
  }
}
