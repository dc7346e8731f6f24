package dev.millrace.bench.articles;

import dev.millrace.bench.harness.Allocations;
import dev.millrace.bench.harness.Allocations.HeapUse;
import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Jvm;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Pauses;
import dev.millrace.bench.harness.Pauses.Pause;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.HdrHistogram.Histogram;

/**
 * What a JVM of its own does for {@link LogCommand}: appends to three logs in turn, and reads from
 * them, timing each call; does both without timing; and appends batches that it forces.
 *
 * @param directory empty; what is in it afterwards may be deleted
 * @param messages to all three logs
 * @param warmUp messages before
 * @param batches sizes of batches
 * @param commits how many of each size
 * @param restMillis before them, in which a log makes what it makes ahead
 */
record LogFork(
    LogContender contender,
    String directory,
    long messages,
    long warmUp,
    long segmentBytes,
    List<Integer> batches,
    int commits,
    int restMillis)
    implements Child.Job<LogFork.Found> {
  static final int PARTITIONS = 3;

  /** What each message is timed for. */
  static final List<String> TIMED = List.of("append", "read in order", "read at random");

  private static final int QUARTERS = 4;

  private static final double[] RANKS = {50, 90, 99, 99.9, 99.99, 100};
  private static final double[] BATCH_RANKS = {50, 99, 100};
  private static final int RAW = 1 << 16; // messages of a write that is as fast as it goes
  private static final int CLOCK_READINGS = 100_000;

  /**
   * What was measured.
   *
   * @param figures by their names, which hold the units
   * @param pauses while each append was timed
   * @param memory what was allocated then, and what the collections left
   * @param times of appends and reads, as {@link Latencies} encodes them
   */
  record Found(
      Map<String, Double> figures,
      List<Pause> pauses,
      Allocations.Found memory,
      Map<String, String> times) {
    static Found empty() {
      return new Found(
          new LinkedHashMap<>(),
          new ArrayList<>(),
          new Allocations.Found(new ArrayList<>(), new ArrayList<>()),
          new LinkedHashMap<>());
    }

    void put(String name, double value) {
      figures.put(name, value);
    }

    /** Adds percentiles, in a unit of some nanoseconds. */
    void put(String name, Histogram histogram, double[] ranks, String unit, double nanos) {
      times.put(name, Latencies.encode(histogram));
      for (double rank : ranks) {
        put(
            name + ": " + Latencies.percentile(rank) + ", " + unit,
            histogram.getValueAtPercentile(rank) / nanos);
      }
    }
  }

  @Override
  public Found run() throws Exception {
    Found found = Found.empty();
    boolean isLog = !contender.isDisk();
    try (Logs logs = new Logs("warm-up", RAW, warmUp)) {
      logs.append(warmUp, null);
      if (isLog) {
        logs.read(warmUp, true, null);
        logs.read(warmUp, false, null);
      }
    }
    if (isLog) {
      timed(found);
    }
    untimed(found, isLog);
    for (int batch : batches) {
      batches(found, batch);
    }
    return found;
  }

  private void timed(Found found) throws IOException {
    try (Logs logs = new Logs("timed", RAW, messages);
        Pauses recording = new Pauses();
        Allocations allocations = new Allocations()) {
      Histogram times = Latencies.newHistogram();
      logs.append(messages, times);
      double millis = recording.stop();
      allocations.stop();
      found.put(TIMED.getFirst(), times, RANKS, "ns", 1);
      for (String name : TIMED.subList(1, TIMED.size())) {
        times.reset();
        logs.read(messages, name.equals(TIMED.get(1)), times);
        found.put(name, times, RANKS, "ns", 1);
      }
      addPauses(found, recording.all(), millis);
      addMemory(found, allocations.all(), millis);
      found.put("reading the clock: mean, ns", clockNanos());
    }
  }

  private static void addPauses(Found found, List<Pause> pauses, double millis) {
    found.pauses().addAll(pauses);
    double quarter = millis / QUARTERS;
    for (int i = 0; i < QUARTERS; i++) {
      double from = i * quarter;
      found.put(
          "longest pause in quarter " + (i + 1) + " of the appends, ms",
          Pauses.longestMillis(
              pauses.stream()
                  .filter(one -> one.atMillis() >= from && one.atMillis() < from + quarter)
                  .toList()));
    }
  }

  /** Of each quarter the most that a collection has left, if there was one. */
  private static void addMemory(Found found, Allocations.Found memory, double millis) {
    found.memory().allocated().addAll(memory.allocated());
    found.memory().heap().addAll(memory.heap());
    double quarter = millis / QUARTERS;
    for (int i = 0; i < QUARTERS; i++) {
      double from = i * quarter;
      OptionalDouble most =
          memory.heap().stream()
              .filter(one -> one.atMillis() >= from && one.atMillis() < from + quarter)
              .mapToDouble(HeapUse::megabytes)
              .max();
      if (most.isPresent()) {
        found.put(
            "heap after collections in quarter " + (i + 1) + " of the appends, MB",
            most.getAsDouble());
      }
    }
  }

  private static double clockNanos() {
    long begin = System.nanoTime();
    long end = begin;
    for (int i = 0; i < CLOCK_READINGS; i++) {
      end = System.nanoTime();
    }
    return (double) (end - begin) / CLOCK_READINGS;
  }

  private void untimed(Found found, boolean isLog) throws IOException {
    try (Logs logs = new Logs("untimed", RAW, messages)) {
      long bytes = Jvm.THREADS.getCurrentThreadAllocatedBytes();
      long begin = System.nanoTime();
      logs.append(messages, null);
      if (isLog) {
        addRate(found, TIMED.getFirst(), System.nanoTime() - begin, bytes);
      }
      for (Partition log : logs.all) {
        log.force();
      }
      found.put("append and force all, thousands/s", rate(System.nanoTime() - begin));
      for (String name : isLog ? TIMED.subList(1, TIMED.size()) : List.<String>of()) {
        bytes = Jvm.THREADS.getCurrentThreadAllocatedBytes();
        begin = System.nanoTime();
        logs.read(messages, name.equals(TIMED.get(1)), null);
        addRate(found, name, System.nanoTime() - begin, bytes);
      }
    }
  }

  private void addRate(Found found, String name, long nanos, long bytesBefore) {
    double bytes = Jvm.THREADS.getCurrentThreadAllocatedBytes() - bytesBefore;
    found.put(name + ", thousands/s", rate(nanos));
    found.put(name + ", bytes allocated", bytes / messages);
  }

  private double rate(long nanos) {
    return messages / (nanos / 1e9) / 1e3;
  }

  private void batches(Found found, int batch) throws IOException, InterruptedException {
    Histogram times = Latencies.newHistogram();
    long count = (long) batch * commits * PARTITIONS;
    long nanos = 0;
    try (Logs logs = new Logs("batches-" + batch, batch, count)) {
      Thread.sleep(restMillis);
      for (long first = 0; first < count / PARTITIONS; first += batch) {
        for (Partition log : logs.all) {
          long begin = System.nanoTime();
          log.appendRun(first, batch);
          log.force();
          long time = System.nanoTime() - begin;
          times.recordValue(time);
          nanos += time;
        }
      }
      logs.read(count, true, null);
    }
    String name = "commit of " + batch;
    found.put(name, times, BATCH_RANKS, "us", 1e3);
    found.put(name + ", thousands/s", count / (nanos / 1e9) / 1e3);
  }

  /** The three logs. */
  private final class Logs implements Closeable {
    private final List<Partition> all = new ArrayList<>();

    Logs(String name, int batch, long count) throws IOException {
      Path folder = Files.createDirectories(Path.of(directory, name));
      for (int i = 0; i < PARTITIONS; i++) {
        all.add(
            contender.open(
                folder.resolve(Integer.toString(i)), segmentBytes, batch, count / PARTITIONS));
      }
    }

    /** Appends to the logs in turn; times each call if there is a histogram. */
    void append(long count, Histogram times) throws IOException {
      for (long i = 0; i < count; i++) {
        Partition log = all.get((int) (i % PARTITIONS));
        long first = Partition.first(i / PARTITIONS);
        long second = Partition.second(i / PARTITIONS);
        long begin = times == null ? 0 : System.nanoTime();
        log.append(first, second);
        if (times != null) {
          times.recordValue(System.nanoTime() - begin);
        }
      }
      for (Partition log : all) {
        log.flush();
      }
    }

    /** Reads from the logs in turn, and checks all; times each call if there is a histogram. */
    void read(long count, boolean inOrder, Histogram times) throws IOException {
      long each = count / PARTITIONS;
      for (long i = 0; i < each * PARTITIONS; i++) {
        Partition log = all.get((int) (i % PARTITIONS));
        long number = i / PARTITIONS;
        if (!inOrder) {
          number = Long.remainderUnsigned(Partition.first(i), each);
        }
        long begin = times == null ? 0 : System.nanoTime();
        long read = log.read(number);
        if (times != null) {
          times.recordValue(System.nanoTime() - begin);
        }
        Partition.check(number, read);
      }
    }

    @Override
    public void close() throws IOException {
      for (Partition log : all) {
        log.close();
      }
    }
  }
}
