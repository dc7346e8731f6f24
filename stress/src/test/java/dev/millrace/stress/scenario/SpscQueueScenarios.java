package dev.millrace.stress.scenario;

import dev.millrace.queues.SpscQueue;
import dev.millrace.simulator.Simulation;

/** Trial. */
public final class SpscQueueScenarios {
  private SpscQueueScenarios() {}

  public static void singles(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(2, Pair::new);
    run.thread(
        "producer",
        () -> {
          Pair pair = queue.newFlyweight();
          long next = 1;
          for (int i = 0; i < 5; i++) {
            if (queue.tryClaim(pair)) {
              pair.set(next++);
              queue.commit(pair);
            }
          }
        });
    run.thread(
        "consumer",
        () -> {
          Pair pair = queue.newFlyweight();
          long next = 1;
          for (int i = 0; i < 5; i++) {
            if (queue.tryPoll(pair)) {
              run.check(pair.is(next++), "wrong record");
              queue.release(pair);
            }
          }
        });
  }
}
