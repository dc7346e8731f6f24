package dev.millrace.bench.harness;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Records, while it is open, when the collector stops all threads. */
public final class Pauses implements Closeable {
  private static final String PAUSE = "jdk.GCPhasePause";
  private static final String COLLECTION = "jdk.GarbageCollection";
  private static final Set<String> EVENTS = Set.of(PAUSE, COLLECTION);

  /** What JFR calls collections of the young generation alone, by G1, ZGC and the serial one. */
  private static final Set<String> YOUNG = Set.of("G1New", "ZGC Minor", "DefNew");

  private final FlightRecording recording = new FlightRecording(EVENTS);

  /**
   * All threads were stopped by the collector.
   *
   * @param atMillis since the recording began
   * @param millis how long
   * @param collection the number of the collection that it belongs to
   * @param old whether that is one of the old generation: with G1 a cycle of marking, of which
   *     these are the pauses but the first, or a full collection; with ZGC a major collection
   */
  public record Pause(double atMillis, double millis, long collection, boolean old) {}

  /** Leaves out what was before: the start of a recording may disturb what is measured. */
  public void restart() {
    recording.restart();
  }

  /** Ends the recording, and returns how many milliseconds it took. */
  public double stop() {
    return recording.stop();
  }

  /** How long all of them took. */
  public static double totalMillis(List<Pause> pauses) {
    return pauses.stream().mapToDouble(Pause::millis).sum();
  }

  /** How long the longest took; 0 if there is none. */
  public static double longestMillis(List<Pause> pauses) {
    return pauses.stream().mapToDouble(Pause::millis).max().orElse(0);
  }

  /** How long they took on the average; 0 if there is none. */
  public static double meanMillis(List<Pause> pauses) {
    return pauses.stream().mapToDouble(Pause::millis).average().orElse(0);
  }

  /** Those of collections of the old generation, or all others. */
  public static List<Pause> ofOld(List<Pause> pauses, boolean old) {
    return pauses.stream().filter(one -> one.old() == old).toList();
  }

  /** How many collections they belong to. */
  public static long collections(List<Pause> pauses) {
    return pauses.stream().mapToLong(Pause::collection).distinct().count();
  }

  /** Returns what was recorded until {@link #stop}. */
  public List<Pause> all() throws IOException {
    return of(recording.events(), recording.begin(), recording.end());
  }

  /** The options by which another JVM records them in a file, which is whole when it has ended. */
  public static List<String> flags(Path file) {
    return List.of(
        EVENTS.stream()
            .sorted()
            .map(event -> ",+%s#enabled=true,+%1$s#threshold=0ms".formatted(event))
            .collect(
                Collectors.joining(
                    "", "-XX:StartFlightRecording:filename=%s,settings=none".formatted(file), "")),
        "-Xlog:jfr+startup=off");
  }

  /** Returns what a file has of a time. */
  public static List<Pause> in(Path file, Instant begin, Instant end) throws IOException {
    return of(RecordingFile.readAllEvents(file), begin, end);
  }

  private static List<Pause> of(List<RecordedEvent> events, Instant begin, Instant end) {
    // A collection without an event has not ended, and only those of the old generation last on.
    Set<Long> young =
        events.stream()
            .filter(event -> event.getEventType().getName().equals(COLLECTION))
            .filter(event -> YOUNG.contains(event.getString("name")))
            .map(Pauses::collection)
            .collect(Collectors.toSet());
    return events.stream()
        .filter(event -> event.getEventType().getName().equals(PAUSE))
        .filter(event -> FlightRecording.isWithin(event, begin, end))
        .map(
            event ->
                new Pause(
                    FlightRecording.millis(Duration.between(begin, event.getStartTime())),
                    FlightRecording.millis(event.getDuration()),
                    collection(event),
                    !young.contains(collection(event))))
        .toList();
  }

  private static long collection(RecordedEvent event) {
    return event.getLong("gcId");
  }

  @Override
  public void close() {
    recording.close();
  }
}
