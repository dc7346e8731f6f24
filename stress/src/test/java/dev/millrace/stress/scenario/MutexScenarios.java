package dev.millrace.stress.scenario;

import dev.millrace.cache.internal.Mutex;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** One owner at a time, who sees what the others did. */
@ScenariosOf("Mutex")
public final class MutexScenarios extends Steps {
  private static final class Plain {
    private int count;
  }

  @About("what the lock guards is changed by one thread at a time, and seen by the next")
  public void guards(Simulation run) {
    Mutex mutex = new Mutex();
    Plain guarded = new Plain();
    Numbered step =
        _ -> {
          mutex.lock();
          guarded.count = guarded.count + 1;
          mutex.unlock();
        };
    threads(run, 3, "owner", step);
    run.atEnd(() -> run.check(guarded.count == 3, "counted " + guarded.count));
  }
}
