package dev.millrace.stress.scenario;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Gate;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.Waiters;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;

/** The parts that rings are made of, each for itself. */
public final class PartsScenarios {
  private static final WaitStrategy PARK =
      new WaitStrategy(0, 0, WaitStrategy.FOREVER, WaitStrategy.FOREVER);

  private PartsScenarios() {}

  @About("a gate admits as far as slots are free, and what is free was left by the consumer")
  public static void gateAdmits(Simulation run) {
    Sequence head = new Sequence();
    Gate gate = new Gate(head, 2);
    Flag.Plain slot = new Flag.Plain();
    run.thread(
        "consumer",
        () -> {
          slot.isSet();
          head.setRelease(1);
        });
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
  public static void gateCloses(Simulation run) {
    Sequence head = new Sequence();
    Gate gate = new Gate(head, 2);
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
    run.thread(
        "closer",
        () -> {
          before.set();
          gate.close();
          run.check(gate.isClosed(), "not closed");
        });
    run.atEnd(
        () -> {
          run.check(gate.isClosed(), "opened again");
          run.check(!gate.admits(1) && !gate.admits(3), "admitted though closed");
        });
  }

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

  @About("of two calls that overlap, one at least is found; calls in a row are not")
  public static void overlapIsFound(Simulation run) {
    Role role = new Role("one at a time");
    Sequence inside = new Sequence();
    boolean[] overlapped = new boolean[1];
    int[] found = new int[1];
    for (int i = 0; i < 2; i++) {
      run.thread(
          "caller " + i,
          () -> {
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
          });
    }
    run.atEnd(
        () -> {
          run.check(!overlapped[0] || found[0] > 0, "an overlap was not found");
          long call = role.begin();
          run.check(role.end(call), "a single call was refused");
        });
  }

  @About("calls that another order separates are never taken for overlapping")
  public static void handOverIsNoOverlap(Simulation run) {
    Role role = new Role("one at a time");
    Flag handed = new Flag();
    run.thread(
        "first",
        () -> {
          role.end(role.begin());
          handed.raise();
        });
    run.thread(
        "second",
        () -> {
          handed.await();
          role.end(role.begin());
        });
  }
}
