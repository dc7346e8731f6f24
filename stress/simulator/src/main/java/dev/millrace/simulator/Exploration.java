package dev.millrace.simulator;

import java.util.Map;
import java.util.OptionalLong;

/**
 * What exploring a scenario has shown.
 *
 * @param mode how it was explored, with its bounds
 * @param executions how many executions were run
 * @param complete whether these are all within the bounds; false for random schedules
 * @param seconds how long it took
 * @param outcomes how often each {@link Simulation#outcome} came out
 * @param checksum of the outcome, the steps and the accesses of each execution, in order: another
 *     run of the same executions of the same code has the same
 * @param failure the first failure, or null
 */
public record Exploration(
    String mode,
    long executions,
    boolean complete,
    double seconds,
    Map<String, Long> outcomes,
    long checksum,
    Failure failure) {

  /**
   * An execution that failed.
   *
   * @param message what is wrong, with the lines of both accesses if it is a race
   * @param replay which execution it was, for readers
   * @param seed what {@link Explorer#replay} runs it again with, if it was found by chance; one
   *     that was found depth first is found again by the same exploration
   * @param trace what each thread did, in order
   * @param cause the exception
   */
  public record Failure(
      String message, String replay, OptionalLong seed, String trace, Throwable cause) {
    @Override
    public String toString() {
      return message + "\n" + trace + "\n(" + replay + ")";
    }
  }
}
