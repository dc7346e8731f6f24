package dev.millrace.bench.harness;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;

/** Records, while it is open, when the collector stops all threads. */
public final class Pauses implements Closeable {
  private static final String EVENT = "jdk.GCPhasePause";

  private final Recording recording = new Recording();
  private Instant begin;
  private Instant end;

  /**
   * All threads were stopped by the collector.
   *
   * @param atMillis since the recording began
   * @param millis how long
   */
  public record Pause(double atMillis, double millis) {}

  /** Begins to record. */
  public Pauses() {
    recording.enable(EVENT).withoutThreshold();
    recording.start();
    this.begin = Instant.now();
  }

  /** Leaves out what was before: the start of a recording may disturb what is measured. */
  public void restart() {
    begin = Instant.now();
  }

  /** Ends the recording, and returns how many milliseconds it took. */
  public double stop() {
    end = Instant.now();
    recording.stop();
    return millis(begin, end);
  }

  /** How long all of them took. */
  public static double totalMillis(List<Pause> pauses) {
    return pauses.stream().mapToDouble(Pause::millis).sum();
  }

  /** How long the longest took; 0 if there is none. */
  public static double longestMillis(List<Pause> pauses) {
    return pauses.stream().mapToDouble(Pause::millis).max().orElse(0);
  }

  /** Returns what was recorded until {@link #stop}. */
  public List<Pause> all() throws IOException {
    Path file = Files.createTempFile("millrace", ".jfr");
    try {
      recording.dump(file);
      return in(file, begin, end);
    } finally {
      Files.delete(file);
    }
  }

  /** The options by which another JVM records them in a file, which is whole when it has ended. */
  public static List<String> flags(Path file) {
    return List.of(
        "-XX:StartFlightRecording:filename=%s,settings=none,+%s#enabled=true,+%2$s#threshold=0ms"
            .formatted(file, EVENT),
        "-Xlog:jfr+startup=off");
  }

  /** Returns what a file has of a time. */
  public static List<Pause> in(Path file, Instant begin, Instant end) throws IOException {
    return RecordingFile.readAllEvents(file).stream()
        .filter(e -> e.getEventType().getName().equals(EVENT))
        .filter(e -> !e.getStartTime().isBefore(begin) && e.getStartTime().isBefore(end))
        .map(e -> new Pause(millis(begin, e.getStartTime()), millis(e.getDuration())))
        .toList();
  }

  private static double millis(Instant begin, Instant end) {
    return millis(Duration.between(begin, end));
  }

  private static double millis(Duration duration) {
    return duration.toNanos() / 1e6;
  }

  @Override
  public void close() {
    recording.close();
  }
}
