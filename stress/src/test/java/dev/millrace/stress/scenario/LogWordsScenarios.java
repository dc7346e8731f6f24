package dev.millrace.stress.scenario;

import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.trial.LogRoles;

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

  /** Each writes, and then reads what the other writes. */
  @About("a later opening finds what the earlier one has written if that finds the log its own yet")
  public void laterOpeningFindsAll(Simulation run) {
    boolean[] isOwn = new boolean[1];
    boolean[] isFound = new boolean[1];
    run.thread(
        "earlier",
        () -> {
          log.publish(7);
          isOwn[0] = log.opening() == 0;
        });
    run.thread(
        "later",
        () -> {
          run.check(log.takeOver(0, 1), "it was not taken over");
          isFound[0] = log.read() == 7;
        });
    run.atEnd(() -> run.check(!isOwn[0] || isFound[0], "a message that is durable is not found"));
  }

  @About("of two openings that take a log over at once, one does")
  public void oneTakesOver(Simulation run) {
    int[] taken = new int[2];
    threads(run, 2, "later", i -> taken[i] = log.takeOver(0, i + 1) ? 1 : 0);
    run.atEnd(
        () ->
            run.check(taken[0] + taken[1] == 1, "taken over " + (taken[0] + taken[1]) + " times"));
  }
}
