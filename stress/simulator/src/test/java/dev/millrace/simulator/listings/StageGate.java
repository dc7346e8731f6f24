package dev.millrace.simulator.listings;

import dev.millrace.simulator.Simulation;

/** The last stage holds publishers back. As listed, by the largest number that it has finished. */
public final class StageGate {
  private StageGate() {}

  public static void asListed(Simulation run) {
    start(run, new SharedStage(run));
  }

  public static void mended(Simulation run) {
    start(run, new SharedStage.Mended(run));
  }

  private static void start(Simulation run, SharedStage stage) {
    stage.fill();
    run.thread("aggregator 0", () -> stage.take(0), () -> stage.finish(0));
    run.thread("aggregator 1", () -> stage.take(1), () -> stage.finish(1));
    run.thread("publisher", stage::publish);
  }
}
