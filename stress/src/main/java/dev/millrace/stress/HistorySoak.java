package dev.millrace.stress;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.HistoryProducer;
import dev.millrace.queues.HistoryReader;
import dev.millrace.queues.HistoryRing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Writers and readers on one {@link HistoryRing}; every record is checked and accounted for. */
final class HistorySoak {
  private final int capacity;
  private final int writers;
  private final int readers;
  private final long nanos;

  HistorySoak(int capacity, int writers, int readers, long nanos) {
    this.capacity = capacity;
    this.writers = writers;
    this.readers = readers;
    this.nanos = nanos;
  }

  /**
   * What one reader saw of all that was written: {@code read + lost + refused = written}.
   *
   * @param read whole records, each writer's in its order
   * @param lost overwritten before the reader came to them
   * @param refused refused by the ring, as the reader passed them
   * @param windows how many windows of the newest records were read besides
   */
  record ReaderResult(long read, long lost, long refused, long windows) {}

  /**
   * What was seen.
   *
   * @param written records that the writers tried to write
   * @param committed those that the ring took
   * @param refused those that it refused
   * @param perReader what each reader saw
   */
  record Result(long written, long committed, long refused, List<ReaderResult> perReader) {}

  /** Runs to the end; throws an {@link AssertionError} if a record is torn or unaccounted for. */
  Result call() throws InterruptedException, ExecutionException {
    try (HistoryRing<Entry> history = HistoryRing.multi(FlyweightType.of(Entry::new), capacity)) {
      CountDownLatch writing = new CountDownLatch(writers);
      List<FutureTask<ReaderResult>> reads = new ArrayList<>();
      for (int i = 0; i < readers; i++) {
        HistoryReader<Entry> reader = history.newReader(capacity);
        reads.add(new FutureTask<>(() -> read(reader, writing)));
      }
      List<FutureTask<long[]>> writes = new ArrayList<>();
      long end = System.nanoTime() + nanos;
      for (int i = 0; i < writers; i++) {
        int writer = i;
        writes.add(new FutureTask<>(() -> write(history, writer, end, writing)));
      }
      reads.forEach(task -> Thread.ofPlatform().name("reader").start(task));
      writes.forEach(task -> Thread.ofPlatform().name("writer").start(task));
      long written = 0;
      long committed = 0;
      for (FutureTask<long[]> task : writes) {
        written += task.get()[0];
        committed += task.get()[1];
      }
      check("written", history.claimedCount(), written);
      check("committed + refused", committed + history.refusedCount(), written);
      List<ReaderResult> perReader = new ArrayList<>();
      for (FutureTask<ReaderResult> task : reads) {
        ReaderResult result = task.get();
        check("read + lost + refused", result.read + result.lost + result.refused, written);
        perReader.add(result);
      }
      return new Result(written, committed, history.refusedCount(), perReader);
    }
  }

  private static void check(String what, long is, long mustBe) {
    if (is != mustBe) {
      throw new AssertionError(what + " must be " + mustBe + ": is " + is);
    }
  }

  /** Returns how many records were tried and how many were committed. */
  private long[] write(HistoryRing<Entry> history, int writer, long end, CountDownLatch writing) {
    long tried = 0;
    long committed = 0;
    try {
      HistoryProducer<Entry> out = history.newProducer();
      while (System.nanoTime() - end < 0) {
        for (int i = 0; i < 1_000; i++, tried++) {
          Entry entry = out.tryClaim();
          if (entry != null) {
            entry.number(tried * writers + writer);
            out.commit();
          }
        }
      }
      committed = tried - out.refusedCount();
    } finally {
      writing.countDown();
    }
    return new long[] {tried, committed};
  }

  private ReaderResult read(HistoryReader<Entry> reader, CountDownLatch writing) {
    try (reader) {
      long[] last = unseen();
      long windows = 0;
      for (boolean end = false; !end; windows++) {
        end = writing.getCount() == 0; // one more round after that, for the last records
        for (Entry entry; (entry = reader.tryPoll()) != null; ) {
          checkRises(last, entry.wholeNumber());
        }
        long[] lastInWindow = unseen();
        int count = reader.latest(capacity);
        for (int i = 0; i < count; i++) {
          checkRises(lastInWindow, reader.at(i).wholeNumber());
        }
      }
      return new ReaderResult(
          reader.readCount(), reader.lostCount(), reader.refusedCount(), windows);
    }
  }

  private long[] unseen() {
    long[] last = new long[writers];
    Arrays.fill(last, -1);
    return last;
  }

  private static void checkRises(long[] last, long number) {
    int writer = (int) (number % last.length);
    if (number <= last[writer]) {
      throw new AssertionError("number must be above " + last[writer] + ": number=" + number);
    }
    last[writer] = number;
  }
}
