package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.TelemetryReader;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The process that created a telemetry file, as far as this machine knows it. If a process with
 * that id started clearly after the telemetry was created, it is a different process that has
 * reused the id. A process in a different namespace, such as a container's, counts as ended,
 * because nothing is known about it.
 *
 * @param id the process id
 * @param telemetryStart when the process created the telemetry
 */
public record OwnerProcess(long id, Instant telemetryStart) {
  /**
   * The tolerance for the reported start of a process, because the system may report whole seconds.
   */
  private static final Duration TOLERANCE = Duration.ofSeconds(2);

  /**
   * Returns the process that created the telemetry of {@code reader}.
   *
   * @param reader reads the telemetry
   * @return the process
   */
  public static OwnerProcess of(TelemetryReader reader) {
    return new OwnerProcess(reader.processId(), reader.startTime());
  }

  /**
   * Returns whether the process is running at this moment.
   *
   * @return false if it has ended, even if a different process now has its id
   */
  public boolean isRunning() {
    return ProcessHandle.of(id).filter(ProcessHandle::isAlive).isPresent()
        && startOfOther() == null;
  }

  /**
   * Returns when the process that has reused the id was started, or null if no process has reused
   * it.
   */
  private Instant startOfOther() {
    Optional<Instant> start = ProcessHandle.of(id).flatMap(one -> one.info().startInstant());
    return start.filter(telemetryStart.plus(TOLERANCE)::isBefore).orElse(null);
  }

  /**
   * Returns a string that says whether the process is running.
   *
   * @return a text such as {@code process 1234 has ended}
   */
  @Override
  public String toString() {
    String name = "process " + id;
    if (isRunning()) {
      return name + " is running";
    }
    Instant other = startOfOther();
    return other == null
        ? name + " has ended"
        : name + " has ended (its id is that of another since " + other + ")";
  }
}
