package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.TelemetryReader;

/**
 * Describes the process that created a telemetry file.
 *
 * @param reader reads the telemetry
 */
record OwnerProcess(TelemetryReader reader) {
  /**
   * Returns a string that says whether the process is running.
   *
   * @return a text such as {@code process 1234 has ended}
   */
  @Override
  public String toString() {
    String name = "process " + reader.processId();
    if (reader.isProcessRunning()) {
      return name + " is running";
    }
    String reuse =
        ProcessHandle.of(reader.processId())
            .filter(ProcessHandle::isAlive)
            .flatMap(other -> other.info().startInstant())
            .map(start -> " (its id is that of another since " + start + ")")
            .orElse("");
    return name + " has ended" + reuse;
  }
}
