package dev.millrace.stress.scenario;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Waiters;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** That who waits is woken; a wake-up that is lost is a deadlock here. */
@ScenariosOf("Waiters")
public final class WaitersScenarios extends Steps {
  private static final WaitStrategy PARK = new WaitStrategy(0, 0, WaitStrategy.FOREVER);

  @About("who waits is woken by who publishes and signals")
  public void waiterIsWoken(Simulation run) {
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

  private static void await(Waiters waiters, Sequence published, int value)
      throws InterruptedException {
    long step = 0;
    try {
      while (published.getAcquire() < value) {
        step = waiters.pause(step, WaitStrategy.FOREVER, value);
      }
    } finally {
      waiters.leave(step);
    }
  }

  @About("if two threads of a side wait, one at most is refused and the other is woken")
  public void secondWaiterIsRefused(Simulation run) {
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
    run.thread("publisher", () -> published.setRelease(1), waiters::signal);
    run.atEnd(() -> run.check(refused[0] <= 1, "both were refused"));
  }

  @About("who has waited leaves nothing behind: another thread may wait in its place")
  public void waitingIsHandedOver(Simulation run) {
    Waiters waiters = new Waiters(PARK, true, WaitStrategy.FOREVER);
    Sequence published = new Sequence();
    Flag left = new Flag();
    run.thread("first waiter", () -> await(waiters, published, 1), left::raise);
    run.thread("second waiter", left::await, () -> await(waiters, published, 2));
    run.thread(
        "publisher",
        () -> published.setRelease(1),
        waiters::signal,
        () -> published.setRelease(2),
        waiters::signal);
  }

  @About("close wakes whoever waits, without a fence of its own")
  public void closeWakes(Simulation run) {
    Waiters waiters = new Waiters(PARK, true, WaitStrategy.FOREVER);
    Sequence closed = new Sequence();
    run.thread("waiter", () -> await(waiters, closed, 1));
    run.thread("closer", () -> closed.setRelease(1), waiters::signal);
  }

  @About("a wait with a deadline ends by itself if nobody wakes it")
  public void deadlineEnds(Simulation run) {
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
          waiters.leave(step);
          run.check(System.nanoTime() - before >= 900, "gave up too early");
        });
  }

  @About("who has left is not woken any more, and a wake of nobody does nothing")
  public void leavingIsFinal(Simulation run) {
    Waiters waiters = new Waiters(PARK, true, WaitStrategy.FOREVER);
    Sequence published = new Sequence();
    run.thread(
        "waiter",
        () -> await(waiters, published, 1),
        () -> await(waiters, published, 1),
        () -> await(waiters, published, 2));
    run.thread(
        "publisher",
        waiters::signal,
        () -> published.setRelease(1),
        waiters::signal,
        () -> published.setRelease(2),
        waiters::signal);
  }

  private static final WaitStrategy SLEEP = new WaitStrategy(0, 0, 1_000);

  @About("each of several waiters is woken, whenever it came")
  public void allAreWoken(Simulation run) {
    Waiters waiters = new Waiters(PARK, false, WaitStrategy.FOREVER);
    Sequence published = new Sequence();
    for (int i = 0; i < 3; i++) {
      int value = 1 + i / 2;
      run.thread("waiter " + i, () -> await(waiters, published, value));
    }
    run.thread(
        "publisher",
        () -> published.setRelease(1),
        waiters::signal,
        () -> published.setRelease(2),
        waiters::signal);
  }

  @About("a waiter's place is free again, for itself and for others, when it has left")
  public void placesAreUsedAgain(Simulation run) {
    Waiters waiters = new Waiters(PARK, false, WaitStrategy.FOREVER);
    Sequence published = new Sequence();
    for (int i = 0; i < 2; i++) {
      run.thread(
          "waiter " + i, () -> await(waiters, published, 1), () -> await(waiters, published, 2));
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
  public void sleepersAndPublishers(Simulation run) {
    Waiters waiters = new Waiters(SLEEP, false, WaitStrategy.FOREVER);
    Sequence published = new Sequence();
    run.check(!waiters.needSignals(), "signals though it wakes by itself");
    for (int i = 0; i < 2; i++) {
      run.thread("waiter " + i, () -> await(waiters, published, 1));
      run.thread("publisher " + i, () -> published.setRelease(1), waiters::signal);
    }
  }

  @About("a rest is no longer than its limit, whatever the strategy")
  public void restIsLimited(Simulation run) {
    Waiters waiters = new Waiters(PARK, false, 1_000);
    Sequence published = new Sequence();
    run.thread("waiter", () -> await(waiters, published, 1));
    run.thread("publisher", () -> published.setRelease(1));
  }

  // ---- many threads of a side, each of which needs one of what is given, or more ----

  /** What is given: as many threads go on as there is enough for. */
  private static final class Supply {
    private final Waiters waiters;
    private final Sequence left = new Sequence();

    Supply(WaitStrategy strategy, int chains) {
      this.waiters = new Waiters(strategy, chains, false, WaitStrategy.FOREVER);
    }

    void give(int count) {
      giveInSilence(count);
      waiters.signal();
    }

    void giveInSilence(int count) {
      long seen;
      do {
        seen = left.getOpaque();
      } while (!left.weakCompareAndSetRelease(seen, seen + count));
    }

    boolean tryTake(int count) {
      long seen = left.getAcquire();
      while (seen >= count) {
        if (left.compareAndSet(seen, seen - count)) {
          return true;
        }
        seen = left.getAcquire();
      }
      return false;
    }

    boolean take(int count, long limitNanos) throws InterruptedException {
      long deadline = Waiters.deadline(limitNanos);
      long step = 0;
      try {
        while (!tryTake(count)) {
          step = waiters.pause(step, deadline, count);
          if (step == Waiters.TIMED_OUT) {
            return false;
          }
        }
        return true;
      } finally {
        waiters.leave(step);
      }
    }

    void take(int count) throws InterruptedException {
      take(count, WaitStrategy.FOREVER);
    }
  }

  @About("one signal for several slots wakes as many threads")
  public void aRunIsEnoughForSeveral(Simulation run) {
    Supply supply = new Supply(PARK, 2);
    for (int i = 0; i < 3; i++) {
      run.thread("waiter " + i, () -> supply.take(1));
    }
    run.thread("giver", () -> supply.give(1), () -> supply.give(2));
  }

  @About("several that give at once: no wake-up is lost, though one of them at a time wakes")
  public void severalGive(Simulation run) {
    Supply supply = new Supply(PARK, 1);
    for (int i = 0; i < 2; i++) {
      run.thread("waiter " + i, () -> supply.take(1));
      run.thread("giver " + i, () -> supply.give(1));
    }
  }

  @About("who needs more is woken whenever there may be enough, and keeps nobody from the rest")
  public void needsDiffer(Simulation run) {
    Supply supply = new Supply(PARK, 2);
    run.thread("waiter for two", () -> supply.take(2));
    run.thread("waiter for one", () -> supply.take(1), () -> supply.give(2));
    run.thread("giver", () -> supply.give(1));
  }

  @About("several ask who wakes to look again: each of them may rely on it")
  public void severalAskAtOnce(Simulation run) {
    Supply supply = new Supply(PARK, 1);
    run.thread("waiter for three", () -> supply.take(3));
    for (int i = 0; i < 3; i++) {
      run.thread("giver " + i, () -> supply.give(1));
    }
  }

  @About("threads that need more, and givers at once: who wakes looks again if it is asked to")
  public void severalGiveToTheNeedy(Simulation run) {
    Supply supply = new Supply(PARK, 2);
    run.thread("waiter for two", () -> supply.take(2));
    run.thread("waiter for three", () -> supply.take(3));
    run.thread("giver of two", () -> supply.give(2));
    run.thread("giver of three", () -> supply.give(3));
  }

  @About("a thread that gives up when it is woken passes that on")
  public void whoGivesUpPassesItOn(Simulation run) {
    Supply supply = new Supply(PARK, 1);
    run.thread(
        "impatient",
        () -> {
          if (supply.take(1, 1_000)) {
            supply.give(1);
          }
        });
    run.thread("patient", () -> supply.take(1));
    run.thread("giver", () -> supply.give(1));
  }

  @About("a thread that is interrupted when it is woken passes that on")
  public void whoIsInterruptedPassesItOn(Simulation run) {
    Supply supply = new Supply(PARK, 1);
    run.thread(
        "interrupted",
        () -> {
          try {
            supply.take(1);
            supply.give(1);
          } catch (InterruptedException e) {
            // has taken nothing
          }
        });
    run.thread("interrupter", () -> run.interrupt("interrupted"));
    run.thread("patient", () -> supply.take(1));
    run.thread("giver", () -> supply.give(1));
  }

  @About("a thread that never waited takes what another was woken for, and gives it back")
  public void anotherIsFaster(Simulation run) {
    Supply supply = new Supply(PARK, 2);
    for (int i = 0; i < 2; i++) {
      run.thread("waiter " + i, () -> supply.take(1));
    }
    run.thread(
        "passer-by",
        () -> {
          if (supply.tryTake(1)) {
            supply.give(1);
          }
        });
    run.thread("giver", () -> supply.give(2));
  }

  @About("a place that was left while it was listed is used again, and its thread is woken there")
  public void aListedPlaceIsUsedAgain(Simulation run) {
    Supply supply = new Supply(PARK, 1);
    run.thread(
        "comes again",
        () -> {
          while (!supply.take(1, 500)) {
            // again
          }
        });
    run.thread("waiter for two", () -> supply.take(2));
    run.thread("giver", () -> supply.give(1), () -> supply.give(2));
  }

  @About("threads that take and give in turn, at places of one chain")
  public void placesChangeHands(Simulation run) {
    Supply supply = new Supply(PARK, 1);
    for (int i = 0; i < 3; i++) {
      run.thread("waiter " + i, () -> supply.take(1), () -> supply.give(1));
    }
    run.thread("giver", () -> supply.give(1));
  }

  @About("of the threads that sleep one wakes by the timer, and takes the others along")
  public void oneSleeperLeads(Simulation run) {
    Supply supply = new Supply(SLEEP, 2);
    for (int i = 0; i < 2; i++) {
      run.thread("waiter " + i, () -> supply.take(1));
    }
    run.thread("impatient", () -> supply.take(4, 1_500));
    run.thread("giver", () -> supply.giveInSilence(2));
  }
}
