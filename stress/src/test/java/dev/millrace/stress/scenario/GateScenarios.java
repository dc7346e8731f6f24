package dev.millrace.stress.scenario;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Gate;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** How far a producer may write, and that closing stops it. */
@ScenariosOf("Gate")
public final class GateScenarios extends Steps {
  @About("a gate admits as far as slots are free, and what is free was left by the consumer")
  public void gateAdmits(Simulation run) {
    Sequence head = new Sequence();
    Gate gate = new Gate(2, head);
    Flag.Plain slot = new Flag.Plain();
    run.thread("consumer", slot::isSet, () -> head.setRelease(1));
    run.thread(
        "producer",
        () -> {
          run.check(gate.admits(2), "refused though free");
          if (gate.admits(3)) {
            slot.set();
          }
          run.check(!gate.admits(4), "admitted though never freed");
        });
    run.atEnd(() -> run.check(gate.admits(3), "refused though free"));
  }

  @About("a closed gate stays closed, whatever the producer does at the same time")
  public void gateCloses(Simulation run) {
    Sequence head = new Sequence();
    Gate gate = new Gate(2, head);
    Flag.Plain before = new Flag.Plain();
    run.thread("consumer", () -> head.setRelease(1));
    run.thread(
        "producer",
        () -> {
          gate.admits(3);
          if (gate.isClosed()) {
            run.check(before.isSet(), "what came before the close was not seen");
            run.check(!gate.admits(1), "admitted though closed");
          }
        });
    run.thread("closer", before::set, gate::close, () -> run.check(gate.isClosed(), "not closed"));
    run.atEnd(
        () -> run.check(gate.isClosed(), "opened again"),
        () -> run.check(!gate.admits(1) && !gate.admits(3), "admitted though closed"));
  }
}
