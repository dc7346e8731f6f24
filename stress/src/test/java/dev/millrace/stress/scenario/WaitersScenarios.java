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
    Waiters waiters = new Waiters(PARK, true, WaitStrategy.FOREVER);
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

  @About("if two threads of a side wait, one at most is refused and the other is woken")
  public static void secondWaiterIsRefused(Simulation run) {
    Waiters waiters = new Waiters(PARK, true, WaitStrategy.FOREVER);
    Sequence published = new Sequence();
    int[] refused = new int[1];
    for (int i = 0; i < 2; i++) {
      run.thread(
          "waiter " + i,
          () -> {
            try {
              await(waiters, published, 1);
            } catch (IllegalStateException e) {
              refused[0]++;
            }
          });
    }
    run.thread(
        "publisher",
        () -> {
          published.setRelease(1);
          waiters.signal();
        });
    run.atEnd(() -> run.check(refused[0] <= 1, "both were refused"));
  }

  @About("who has waited leaves nothing behind: another thread may wait in its place")
  public static void waitingIsHandedOver(Simulation run) {
    Waiters waiters = new Waiters(PARK, true, WaitStrategy.FOREVER);
    Sequence published = new Sequence();
    Flag left = new Flag();
    run.thread(
        "first waiter",
        () -> {
          await(waiters, published, 1);
          left.raise();
        });
    run.thread(
        "second waiter",
        () -> {
          left.await();
          await(waiters, published, 2);
        });
    run.thread(
        "publisher",
        () -> {
          published.setRelease(1);
          waiters.signal();
          published.setRelease(2);
          waiters.signal();
        });
  }

  @About("close wakes whoever waits, without a fence of its own")
  public static void closeWakes(Simulation run) {
    Waiters waiters = new Waiters(PARK, true, WaitStrategy.FOREVER);
    Sequence closed = new Sequence();
    run.thread("waiter", () -> await(waiters, closed, 1));
    run.thread(
        "closer",
        () -> {
          closed.setRelease(1);
          waiters.signal();
        });
  }

  @About("a wait with a deadline ends by itself if nobody wakes it")
  public static void deadlineEnds(Simulation run) {
    Waiters waiters = new Waiters(PARK, true, WaitStrategy.FOREVER);
    run.thread(
        "waiter",
        () -> {
          long deadline = Waiters.deadline(1_000);
          long before = System.nanoTime();
          long step = 0;
          while (step != Waiters.TIMED_OUT) {
            step = waiters.pause(step, deadline);
          }
          waiters.leave();
          run.check(System.nanoTime() - before >= 900, "gave up too early");
        });
  }

  @About("who has left is not woken any more, and a wake of nobody does nothing")
  public static void leavingIsFinal(Simulation run) {
    Waiters waiters = new Waiters(PARK, true, WaitStrategy.FOREVER);
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
          waiters.signal();
          published.setRelease(1);
          waiters.signal();
          published.setRelease(2);
          waiters.signal();
        });
  }

  private static final WaitStrategy SLEEP = new WaitStrategy(0, 0, 1_000, WaitStrategy.FOREVER);

  @About("each of several waiters is woken, whenever it came")
  public static void allAreWoken(Simulation run) {
    Waiters waiters = new Waiters(PARK, false, WaitStrategy.FOREVER);
    Sequence published = new Sequence();
    for (int i = 0; i < 3; i++) {
      int value = 1 + i / 2;
      run.thread("waiter " + i, () -> await(waiters, published, value));
    }
    run.thread(
        "publisher",
        () -> {
          published.setRelease(1);
          waiters.signal();
          published.setRelease(2);
          waiters.signal();
        });
  }

  @About("a waiter's place is free again, for itself and for others, when it has left")
  public static void placesAreUsedAgain(Simulation run) {
    Waiters waiters = new Waiters(PARK, false, WaitStrategy.FOREVER);
    Sequence published = new Sequence();
    for (int i = 0; i < 2; i++) {
      run.thread(
          "waiter " + i,
          () -> {
            await(waiters, published, 1);
            await(waiters, published, 2);
          });
    }
    run.thread(
        "publisher",
        () -> {
          for (int i = 1; i <= 2; i++) {
            published.setRelease(i);
            waiters.signal();
          }
        });
  }

  @About("several that sleep, and several that signal at once")
  public static void sleepersAndPublishers(Simulation run) {
    Waiters waiters = new Waiters(SLEEP, false, WaitStrategy.FOREVER);
    Sequence published = new Sequence();
    run.check(!waiters.needSignals(), "signals though it wakes by itself");
    for (int i = 0; i < 2; i++) {
      run.thread("waiter " + i, () -> await(waiters, published, 1));
      run.thread(
          "publisher " + i,
          () -> {
            published.setRelease(1);
            waiters.signal();
          });
    }
  }

  @About("a rest is no longer than its limit, whatever the strategy")
  public static void restIsLimited(Simulation run) {
    Waiters waiters = new Waiters(PARK, false, 1_000);
    Sequence published = new Sequence();
    run.thread("waiter", () -> await(waiters, published, 1));
    run.thread("publisher", () -> published.setRelease(1));
  }
}
