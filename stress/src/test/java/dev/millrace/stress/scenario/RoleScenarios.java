package dev.millrace.stress.scenario;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Role;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** That overlapping calls are found, and no others. */
@ScenariosOf("Role")
public final class RoleScenarios extends Steps {
  @About("of two calls that overlap, one at least is found; calls in a row are not")
  public void overlapIsFound(Simulation run) {
    Role role = new Role("one at a time");
    Sequence inside = new Sequence();
    boolean[] overlapped = new boolean[1];
    int[] found = new int[1];
    Numbered step =
        _ -> {
          long call = role.begin();
          if (inside.getAndAdd(1) > 0) {
            overlapped[0] = true;
          }
          inside.getAndAdd(-1);
          try {
            role.end(call);
          } catch (AssertionError e) {
            found[0]++;
          }
        };
    threads(run, 2, "caller", step);
    run.atEnd(
        () -> {
          run.check(!overlapped[0] || found[0] > 0, "an overlap was not found");
          long call = role.begin();
          run.check(role.end(call), "a single call was refused");
        });
  }

  @About("calls that another order separates are never taken for overlapping")
  public void handOverIsNoOverlap(Simulation run) {
    Role role = new Role("one at a time");
    Flag handed = new Flag();
    run.thread("first", () -> role.end(role.begin()), handed::raise);
    run.thread("second", handed::await, () -> role.end(role.begin()));
  }
}
