package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.TelemetryReader;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The process that made telemetry, as far as this machine knows it. A process that was started
 * clearly after the telemetry was made is another one with the same id. Of a process in another
 * process namespace, such as a container's, nothing is known: it counts as ended.
 *
 * @param id its id
 * @param telemetryStart when it made the telemetry
 */
public record OwnerProcess(long id, Instant telemetryStart) {
  /** How much later a process may seem to start than it did: its clock may have whole seconds. */
  private static final Duration TOLERANCE = Duration.ofSeconds(2);

  /**
   * The process of a reader.
   *
   * @param reader reads its telemetry
   * @return the process
   */
  public static OwnerProcess of(TelemetryReader reader) {
    return new OwnerProcess(reader.processId(), reader.startTime());
  }

  /**
   * Whether it runs at this moment.
   *
   * @return false if it has ended, also if another has its id now
   */
  public boolean isRunning() {
    return ProcessHandle.of(id).filter(ProcessHandle::isAlive).isPresent()
        && startOfOther() == null;
  }

  /** When the process that has the id now was started, null if it is the one, or there is none. */
  private Instant startOfOther() {
    Optional<Instant> start = ProcessHandle.of(id).flatMap(one -> one.info().startInstant());
    return start.filter(telemetryStart.plus(TOLERANCE)::isBefore).orElse(null);
  }

  /**
   * Says whether it runs.
   *
   * @return such as {@code process 1234 has ended}
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
