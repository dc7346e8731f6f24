package dev.millrace.stress;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceReader;
import dev.millrace.telemetry.TraceWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;

/**
 * Writers on one trace log in a file, and readers that have opened the file, each slower than the
 * one before; every record is checked and accounted for.
 */
final class TraceSoak {
  private static final FlyweightType<Entry> ENTRIES = FlyweightType.of(Entry::new);
  private static final int RECORD_BYTES = 64;
  private static final int BATCH = 1_000;
  private static final int EVERY = 3;

  private final Path file;
  private final int capacity;
  private final int writers;
  private final List<Duration> pauses;
  private final long nanos;

  /**
   * Makes a soak.
   *
   * @param file where the log is
   * @param capacity the records that it keeps
   * @param writers how many threads write, flat out
   * @param pauses how long each reader rests after each record
   * @param nanos how long
   */
  TraceSoak(Path file, int capacity, int writers, List<Duration> pauses, long nanos) {
    this.file = file;
    this.capacity = capacity;
    this.writers = writers;
    this.pauses = List.copyOf(pauses);
    this.nanos = nanos;
  }

  /** What one reader saw of all that was written: {@code read + lost + refused = written}. */
  record ReaderResult(Duration pause, long read, long lost, long refused) {
    long sum() {
      return read + lost + refused;
    }
  }

  /** What writers did: {@code tried = leftOut + written}, {@code written = committed + refused}. */
  record Result(
      long tried, long leftOut, long written, long committed, List<ReaderResult> readers) {
    long refused() {
      return written - committed;
    }
  }

  private record Written(long tried, long leftOut, long committed) {}

  /** Runs to the end; throws an {@link AssertionError} if a record is torn or unaccounted for. */
  Result call() throws IOException, InterruptedException, ExecutionException {
    Telemetry.Options options = Telemetry.Options.defaults().withTrace(capacity, RECORD_BYTES);
    try (Telemetry telemetry = Telemetry.create(file, options)) {
      CountDownLatch writing = new CountDownLatch(writers);
      List<FutureTask<ReaderResult>> reads = new ArrayList<>();
      for (Duration pause : pauses) {
        TelemetryReader opened = TelemetryReader.open(file);
        TraceReader reader = opened.newTraceReader();
        reads.add(new FutureTask<>(() -> read(opened, reader, pause, writing)));
      }
      List<FutureTask<Written>> writes = new ArrayList<>();
      long end = System.nanoTime() + nanos;
      for (int i = 0; i < writers; i++) {
        int writer = i;
        writes.add(new FutureTask<>(() -> write(telemetry, writer, end, writing)));
      }
      reads.forEach(task -> Thread.ofPlatform().name("reader").start(task));
      writes.forEach(task -> Thread.ofPlatform().name("writer").start(task));
      return account(telemetry.newReader(), writes, reads);
    }
  }

  private static Result account(
      TelemetryReader log, List<FutureTask<Written>> writes, List<FutureTask<ReaderResult>> reads)
      throws InterruptedException, ExecutionException {
    long tried = 0;
    long leftOut = 0;
    long committed = 0;
    for (FutureTask<Written> task : writes) {
      tried += task.get().tried;
      leftOut += task.get().leftOut;
      committed += task.get().committed;
    }
    long written = tried - leftOut;
    check("claimed", log.traceClaimedCount(), written);
    check("committed + refused", committed + log.traceRefusedCount(), written);
    List<ReaderResult> results = new ArrayList<>();
    for (FutureTask<ReaderResult> task : reads) {
      check("read + lost + refused", task.get().sum(), written);
      results.add(task.get());
    }
    return new Result(tried, leftOut, written, committed, results);
  }

  private static void check(String what, long is, long mustBe) {
    if (is != mustBe) {
      throw new AssertionError(what + " must be " + mustBe + ": is " + is);
    }
  }

  /** Writes rising numbers, whose text is the writer's name; the last writer leaves records out. */
  private Written write(Telemetry telemetry, int number, long end, CountDownLatch writing) {
    long tried = 0;
    try {
      String name = Integer.toString(number);
      int every = number > 0 && number == writers - 1 ? EVERY : 1;
      TraceWriter<Entry> writer =
          telemetry.newTraceWriter(name, "entry", ENTRIES, every, Integer.MAX_VALUE);
      while (System.nanoTime() - end < 0) {
        for (int i = 0; i < BATCH; i++, tried++) {
          Entry record = writer.tryClaim();
          if (record != null) {
            record.number(tried);
            writer.text(name);
            writer.commit();
          }
        }
      }
      long written = tried - writer.leftOutCount();
      return new Written(tried, writer.leftOutCount(), written - writer.refusedCount());
    } finally {
      writing.countDown();
    }
  }

  private ReaderResult read(
      TelemetryReader opened, TraceReader reader, Duration pause, CountDownLatch writing) {
    try (opened;
        reader) {
      long[] last = new long[writers];
      Arrays.fill(last, -1);
      Entry entry = reader.newView(ENTRIES);
      for (boolean end = false; !end; ) {
        end = writing.getCount() == 0; // one more round after that, for the last records
        while (reader.tryPoll()) {
          check(reader, entry, last);
          if (!pause.isZero() && writing.getCount() != 0) {
            LockSupport.parkNanos(pause.toNanos());
          }
        }
      }
      return new ReaderResult(pause, reader.readCount(), reader.lostCount(), reader.refusedCount());
    }
  }

  private static void check(TraceReader reader, Entry entry, long[] last) {
    long number = entry.wholeNumber();
    int writer = Integer.parseInt(reader.writer());
    if (!reader.text().equals(reader.writer())) {
      throw new AssertionError(
          "text must be the name of writer " + reader.writer() + ": text=" + reader.text());
    }
    if (number <= last[writer]) {
      throw new AssertionError("number must be above " + last[writer] + ": number=" + number);
    }
    last[writer] = number;
  }
}
