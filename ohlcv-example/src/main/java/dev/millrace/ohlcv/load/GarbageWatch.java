package dev.millrace.ohlcv.load;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.summarizingLong;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LongSummaryStatistics;
import java.util.Map;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;

/**
 * Watches garbage collection by a flight recording of this JVM, in which every pause is an event of
 * its own. It records from the start, so that starting it does not disturb what is measured; only
 * what lies in the measured part is counted.
 */
public final class GarbageWatch implements AutoCloseable {
  private static final String COLLECTION = "jdk.GarbageCollection";
  private static final String PAUSE = "jdk.GCPhasePause";

  private final Recording recording = new Recording();

  /**
   * What was seen.
   *
   * @param collections how many there were
   * @param pauses how often all threads were stopped for them
   * @param totalNanos how long in all
   * @param maxNanos the longest pause
   * @param watchedNanos how long it was watched
   */
  public record Garbage(
      long collections, long pauses, long totalNanos, long maxNanos, long watchedNanos) {
    /** Which part of the time all threads were stopped for collections. */
    public double share() {
      return (double) totalNanos / watchedNanos;
    }
  }

  GarbageWatch() {
    recording.enable(COLLECTION).withoutThreshold();
    recording.enable(PAUSE).withoutThreshold();
    recording.start();
  }

  /** Ends the watch and tells what began between two moments. */
  Garbage between(Instant begin, Instant end) throws IOException {
    recording.stop();
    Path file = Files.createTempFile("ohlcv-load", ".jfr");
    try {
      recording.dump(file);
      Map<String, LongSummaryStatistics> seen =
          RecordingFile.readAllEvents(file).stream()
              .filter(e -> !e.getStartTime().isBefore(begin) && !e.getStartTime().isAfter(end))
              .collect(
                  groupingBy(
                      e -> e.getEventType().getName(),
                      summarizingLong(e -> e.getDuration().toNanos())));
      LongSummaryStatistics none = new LongSummaryStatistics();
      LongSummaryStatistics pauses = seen.getOrDefault(PAUSE, none);
      return new Garbage(
          seen.getOrDefault(COLLECTION, none).getCount(),
          pauses.getCount(),
          pauses.getSum(),
          Math.max(0, pauses.getMax()),
          Duration.between(begin, end).toNanos());
    } finally {
      Files.delete(file);
    }
  }

  /** The collectors' names, which tell which garbage collector the JVM has. */
  static String collectors() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .map(GarbageCollectorMXBean::getName)
        .collect(joining(", "));
  }

  @Override
  public void close() {
    recording.close();
  }
}
