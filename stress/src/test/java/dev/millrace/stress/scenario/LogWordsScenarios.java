package dev.millrace.stress.scenario;

import dev.millrace.queues.LogRoles;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** What the roles of a message log tell each other. */
@ScenariosOf("LogWords")
public final class LogWordsScenarios extends Steps {
  private final LogRoles log = new LogRoles();

  @About("a reader that finds a message's word finds the message")
  public void wordPublishes(Simulation run) {
    publishes(run, () -> log.publish(7), () -> log.read() == 7);
    run.atEnd(() -> run.check(log.read() == 7, "the word is not there"));
  }

  @About("who forces up to a number finds the messages below it")
  public void writtenPublishes(Simulation run) {
    publishes(run, () -> log.written(1), () -> log.written() == 1);
    run.atEnd(() -> run.check(log.written() == 1, "it is not written"));
  }

  @About("who learns that a message is durable sees all that was done before it was forced")
  public void durablePublishes(Simulation run) {
    publishes(run, () -> log.durable(1), () -> log.durable() == 1);
    run.atEnd(() -> run.check(log.durable() == 1, "it is not durable"));
  }
}
