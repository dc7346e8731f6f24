package dev.millrace.stress;

import dev.millrace.core.internal.history.HistoryCursor;
import dev.millrace.core.internal.history.HistoryRecordProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
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
  private final LongAdder windows = new LongAdder();
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
            () -> newRingReader(ring),
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
          () -> newTraceReader(TelemetryReader.open(file)),
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
      Callable<Reader> newReader,
      LongSupplier claimed,
      LongSupplier refused)
      throws Exception {
    Crew crew = new Crew(toString(), () -> isAbandoned = true, () -> polls + " polls");
    crew.watch("readers must read", polls::sum);
    List<Counts> reads = new ArrayList<>();
    for (Duration pause : pauses) {
      Counts counts = new Counts();
      reads.add(counts);
      Reader reader = newReader.call();
      crew.start("reader", () -> read(reader, pause, counts));
    }
    List<Counts> writes = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      int writer = i;
      Counts counts = new Counts();
      writes.add(counts);
      crew.start("writer", () -> write(writer, newWriter.apply(writer), counts));
    }
    crew.join();
    return HistorySpec.balance(claimed.getAsLong(), refused.getAsLong(), writes, reads)
        .add("windows", windows.sum());
  }

  /** Writes rising numbers, and in a trace log the writer's name as text. */
  private void write(int writer, HistoryRecordProducer<Entry> out, Counts counts) {
    TraceWriter<Entry> trace = out instanceof TraceWriter<Entry> its ? its : null;
    String name = "" + writer;
    long end = System.nanoTime() + nanos;
    long tried = 0;
    try {
      do {
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
      } while (System.nanoTime() - end < 0 && !isAbandoned);
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
    Received received = new Received(writers, true);
    for (boolean end = false; !end; ) {
      end =
          isAbandoned || writing.getCount() == 0; // one more round after that, for the last records
      for (long number; (number = reader.poll.getAsLong()) >= 0; ) {
        received.take(number);
        polls.increment();
        if (!pause.isZero() && writing.getCount() != 0) {
          LockSupport.parkNanos(pause.toNanos());
        }
      }
      reader.window.run();
      polls.increment();
    }
    counts
        .add("read", reader.cursor.readCount())
        .add("lost", reader.cursor.lostCount())
        .add("refused", reader.cursor.refusedCount());
    reader.close.run();
  }

  // ---- readers ----

  /**
   * A reader.
   *
   * @param poll reads the next record; returns its number, or -1 if there is none
   * @param window reads the newest records besides, if the structure gives them
   * @param close closes it
   */
  private record Reader(HistoryCursor cursor, LongSupplier poll, Runnable window, Runnable close) {}

  private Reader newRingReader(HistoryRing<Entry> ring) {
    HistoryReader<Entry> reader = ring.newReader(capacity);
    LongSupplier poll =
        () -> {
          Entry entry = reader.tryPoll();
          return entry == null ? -1 : entry.wholeNumber();
        };
    Runnable window =
        () -> {
          Received received = new Received(writers, true);
          int count = reader.latest(capacity);
          for (int i = 0; i < count; i++) {
            received.take(reader.at(i).wholeNumber());
          }
          windows.increment();
        };
    return new Reader(reader, poll, window, reader::close);
  }

  private Reader newTraceReader(TelemetryReader file) {
    TraceReader reader = file.newTraceReader();
    Entry entry = reader.newView(Entry.TYPE);
    LongSupplier poll =
        () -> {
          if (!reader.tryPoll()) {
            return -1;
          }
          long number = entry.wholeNumber();
          String writer = "" + number % writers;
          String said = reader.writer() + ", " + reader.text();
          QueueRound.check(said.equals(writer + ", " + writer), "writer and text must agree", said);
          return number;
        };
    return new Reader(
        reader,
        poll,
        () -> {},
        () -> {
          reader.close();
          file.close();
        });
  }
}
