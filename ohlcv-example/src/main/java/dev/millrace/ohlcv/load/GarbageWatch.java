package dev.millrace.ohlcv.load;

import java.io.IOException;
import java.io.Serializable;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
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
      long collections, long pauses, long totalNanos, long maxNanos, long watchedNanos)
      implements Serializable {
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
      long collections = 0;
      long pauses = 0;
      long total = 0;
      long max = 0;
      for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
        if (event.getStartTime().isBefore(begin) || event.getStartTime().isAfter(end)) {
          continue;
        }
        if (event.getEventType().getName().equals(COLLECTION)) {
          collections++;
        } else if (event.getEventType().getName().equals(PAUSE)) {
          Duration duration = event.getDuration();
          pauses++;
          total += duration.toNanos();
          max = Math.max(max, duration.toNanos());
        }
      }
      return new Garbage(collections, pauses, total, max, Duration.between(begin, end).toNanos());
    } finally {
      Files.delete(file);
    }
  }

  /** The collectors' names, which tell which garbage collector the JVM has. */
  static String collectors() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .map(GarbageCollectorMXBean::getName)
        .collect(Collectors.joining(", "));
  }

  @Override
  public void close() {
    recording.close();
  }
}
