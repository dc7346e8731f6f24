package dev.millrace.simulator;

/**
 * A small concurrent program and what must hold of it: a few threads, a check at the end.
 *
 * <pre>{@code
 * run -> {
 *   SpscQueue<Pair> queue = SpscQueue.of(2, Pair::new);
 *   run.thread("producer", () -> offer(queue, 1));
 *   run.thread("consumer", () -> run.check(poll(queue) <= 1, "a record that nobody wrote"));
 * }
 * }</pre>
 *
 * <p>It is set up anew for each execution and must do the same each time, but for what the
 * simulated memory and scheduler decide. Classes that it shares with the code under test must be
 * loaded by the same {@link WovenLoader}, and so must the scenario.
 */
@FunctionalInterface
public interface Scenario {
  /**
   * Makes the objects of one execution and its threads.
   *
   * @param run the execution
   * @throws Exception to fail it
   */
  void setUp(Simulation run) throws Exception;
}
