package dev.millrace.bench.harness;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Events of this JVM, without their stack traces, from a beginning that can be moved to an end. */
final class FlightRecording implements Closeable {
  private final Recording recording = new Recording();
  private Instant begin;
  private Instant end;

  /**
   * Begins to record.
   *
   * @param events the names of the events
   */
  FlightRecording(Set<String> events) {
    events.forEach(event -> recording.enable(event).withoutThreshold().withoutStackTrace());
    recording.start();
    this.begin = Instant.now();
  }

  /** Leaves out what was before: the start of a recording may disturb what is measured. */
  void restart() {
    begin = Instant.now();
  }

  /** Ends the recording, and returns how many milliseconds it took. */
  double stop() {
    end = Instant.now();
    recording.stop();
    return millis(Duration.between(begin, end));
  }

  Instant begin() {
    return begin;
  }

  Instant end() {
    return end;
  }

  /** Returns all events until {@link #stop}, also those before the beginning was moved. */
  List<RecordedEvent> events() throws IOException {
    Path file = Files.createTempFile("millrace", ".jfr");
    try {
      recording.dump(file);
      return RecordingFile.readAllEvents(file);
    } finally {
      Files.delete(file);
    }
  }

  /** Whether an event began between two moments. */
  static boolean isWithin(RecordedEvent event, Instant begin, Instant end) {
    return !event.getStartTime().isBefore(begin) && event.getStartTime().isBefore(end);
  }

  static double millis(Duration duration) {
    return duration.toNanos() / 1e6;
  }

  @Override
  public void close() {
    recording.close();
  }
}
