package dev.millrace.stress.scenario;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Waiters;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** That who waits is woken; a wake-up that is lost is a deadlock here. */
@ScenariosOf("Waiters")
public final class WaitersScenarios {
  private static final WaitStrategy PARK =
      new WaitStrategy(0, 0, WaitStrategy.FOREVER, WaitStrategy.FOREVER);

  private WaitersScenarios() {}

  @About("who waits is woken by who publishes and signals")
  public static void waiterIsWoken(Simulation run) {
    Waiters waiters = new Waiters(PARK);
    Sequence published = new Sequence();
    run.check(waiters.needSignals(), "no signals though it parks");
    run.thread("waiter", () -> await(waiters, published, 2));
    run.thread(
        "publisher",
        () -> {
          for (int i = 1; i <= 2; i++) {
            published.setRelease(i);
            waiters.signal();
          }
        });
  }

  private static void await(Waiters waiters, Sequence published, long value)
      throws InterruptedException {
    long step = 0;
    try {
      while (published.getAcquire() < value) {
        step = waiters.pause(step, WaitStrategy.FOREVER);
      }
    } finally {
      waiters.leave();
    }
  }

  @About("if two threads of a side wait, some are refused and none sleeps for ever")
  public static void secondWaiterIsRefused(Simulation run) {
    Waiters waiters = new Waiters(PARK);
    Sequence published = new Sequence();
    for (int i = 0; i < 2; i++) {
      run.thread(
          "waiter " + i,
          () -> {
            try {
              await(waiters, published, 1);
            } catch (IllegalStateException e) {
              run.check(e.getMessage().contains("one thread's"), e.getMessage());
            }
          });
    }
    run.thread(
        "publisher",
        () -> {
          published.setRelease(1);
          waiters.signal();
        });
  }

  @About("who has left is not woken any more, and a wake of nobody does nothing")
  public static void leavingIsFinal(Simulation run) {
    Waiters waiters = new Waiters(PARK);
    Sequence published = new Sequence();
    run.thread(
        "waiter",
        () -> {
          await(waiters, published, 1);
          await(waiters, published, 1);
          await(waiters, published, 2);
        });
    run.thread(
        "publisher",
        () -> {
          waiters.wake();
          published.setRelease(1);
          waiters.signal();
          published.setRelease(2);
          waiters.wake();
        });
  }
}
