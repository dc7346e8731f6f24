package dev.millrace.stress.scenario;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.cache.internal.Probe;
import dev.millrace.cache.internal.Probes;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** Calls of several threads at once, of which each has a probe for itself. */
@ScenariosOf("Probes")
public final class ProbesScenarios extends Steps {
  @About("no two calls have one probe, whose memory passes from one to the next; all are counted")
  public void eachCallHasItsOwn(Simulation run) {
    Probes probes = new Probes(1, 64);
    Numbered call =
        i -> {
          Probe probe = probes.take();
          long at = probe.startKey(Long.BYTES);
          probe.memory().set(JAVA_LONG, at, i);
          probe.endKey(i);
          probes.count(probe, i == 0);
          run.check(probe.memory().get(JAVA_LONG, at) == i && probe.hash() == i, "another's");
          probes.give(probe);
        };
    threads(run, 3, "caller", i -> times(2, () -> call.run(i)).run());
    run.thread("observer", () -> checkWithin(run, 0, probes.hits() + probes.misses(), 6, "count"));
    run.atEnd(
        () -> {
          long bytes = 0;
          for (int i = 0; i < 4; i++) { // for each may fail to get one that is free
            bytes += probes.take().memory().byteSize();
          }
          run.check(bytes == 64, "free: " + bytes + " bytes");
        },
        () -> run.check(probes.hits() == 2, "hits " + probes.hits()),
        () -> run.check(probes.misses() == 4, "misses " + probes.misses()));
  }
}
