package dev.millrace.stress.scenario;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.WaitPlace;
import dev.millrace.core.internal.Waiters;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** A waiting thread is woken; a lost wake-up is a deadlock here. */
@ScenariosOf("Waiters")
public final class WaitersScenarios extends Steps {
  private static final WaitStrategy SLEEP = new WaitStrategy(0, 0, 1_000);

  /** A number that only rises, threads that wait until it is high enough, and who raises it. */
  private static final class Level {
    private final Waiters waiters;
    private final Sequence published = new Sequence();

    Level(WaitStrategy strategy, boolean single) {
      this(new Waiters(strategy, single, WaitStrategy.FOREVER));
    }

    Level(Waiters waiters) {
      this.waiters = waiters;
    }

    WaitPlace newEnd() {
      return new WaitPlace(waiters);
    }

    /** Waits without an end. */
    Body awaits(int value) {
      return awaits(null, value);
    }

    Body awaits(WaitPlace end, int value) {
      return () -> {
        WaitPlace place = end;
        long step = 0;
        try {
          while (published.getAcquire() < value) {
            place = waiters.placeAt(step, place);
            step = waiters.pause(place, step, WaitStrategy.FOREVER, value);
          }
        } finally {
          waiters.leave(place, step);
        }
      };
    }

    Body publishes(int value) {
      return () -> {
        published.setRelease(value);
        waiters.signal();
      };
    }
  }

  @About("a waiting thread is woken by one that publishes and signals")
  public void waiterIsWoken(Simulation run) {
    Level level = new Level(PARK, true);
    run.check(level.waiters.needSignals(), "no signals though it parks");
    run.thread("waiter", level.awaits(2));
    run.thread("publisher", level.publishes(1), level.publishes(2));
  }

  @About("if two threads of a side wait, one at most is refused and the other is woken")
  public void secondWaiterIsRefused(Simulation run) {
    Level level = new Level(PARK, true);
    boolean[] refused = new boolean[2];
    threads(run, 2, "waiter", i -> refused[i] = refuses(level.awaits(1)));
    run.thread("publisher", level.publishes(1));
    run.atEnd(() -> run.check(!refused[0] || !refused[1], "both were refused"));
  }

  @About("so it is if two threads wait at one end, also of a side that many share")
  public void secondWaiterAtAnEndIsRefused(Simulation run) {
    Level level = new Level(PARK, false);
    WaitPlace end = level.newEnd();
    boolean[] refused = new boolean[2];
    threads(run, 2, "waiter", i -> refused[i] = refuses(level.awaits(end, 1)));
    run.thread("another end's waiter", level.awaits(1));
    run.thread("publisher", level.publishes(1));
    run.atEnd(() -> run.check(!refused[0] || !refused[1], "both were refused"));
  }

  @About("a thread that has waited leaves nothing behind: another may wait in its place")
  public void waitingIsHandedOver(Simulation run) {
    Level level = new Level(PARK, true);
    WaitPlace end = level.newEnd();
    Flag left = new Flag();
    run.thread("first waiter", level.awaits(end, 1), left::raise);
    run.thread("second waiter", left::await, level.awaits(end, 2));
    run.thread("publisher", level.publishes(1), level.publishes(2));
  }

  @About("close wakes whoever waits, without a fence of its own")
  public void closeWakes(Simulation run) {
    Level closed = new Level(PARK, true);
    run.thread("waiter", closed.awaits(1));
    run.thread("closer", closed.publishes(1));
  }

  @About("a wait with a deadline ends by itself if nobody wakes it")
  public void deadlineEnds(Simulation run) {
    Waiters waiters = new Waiters(PARK, true, WaitStrategy.FOREVER);
    run.thread(
        "waiter",
        () -> {
          long deadline = Waiters.deadline(1_000);
          long before = System.nanoTime();
          WaitPlace place = new WaitPlace(waiters);
          long step = 0;
          while (step != Waiters.TIMED_OUT) {
            step = waiters.pause(place, step, deadline, 1);
          }
          waiters.leave(place, step);
          run.check(System.nanoTime() - before >= 900, "gave up too early");
        });
  }

  @About("a thread that has left is not woken any more, and waking without a waiter does nothing")
  public void leavingIsFinal(Simulation run) {
    Level level = new Level(PARK, true);
    WaitPlace end = level.newEnd();
    run.thread("waiter", level.awaits(end, 1), level.awaits(end, 1), level.awaits(end, 2));
    run.thread("publisher", level.waiters::signal, level.publishes(1), level.publishes(2));
  }

  @About("each of several waiters is woken, whenever it came")
  public void allAreWoken(Simulation run) {
    Level level = new Level(PARK, false);
    threads(run, 3, "waiter", i -> level.awaits(1 + i / 2).run());
    run.thread("publisher", level.publishes(1), level.publishes(2));
  }

  @About("a waiter's place is free again, for itself and for others, when it has left")
  public void placesAreUsedAgain(Simulation run) {
    Level level = new Level(PARK, false);
    WaitPlace end = level.newEnd();
    WaitPlace another = level.newEnd();
    run.thread("waiter", level.awaits(end, 1), level.awaits(end, 2));
    run.thread("another waiter", level.awaits(another, 1), level.awaits(another, 2));
    run.thread("publisher", level.publishes(1), level.publishes(2));
  }

  /** Signals stop looking for waiters after so many in a row that found none. */
  private static final int VAIN = 2;

  private static Waiters soonCalm(boolean single) {
    return new Waiters(PARK, single, WaitStrategy.FOREVER, VAIN);
  }

  private static void calm(Waiters waiters) {
    while (waiters.isAlert()) { // they stay so if the lock cannot be had at once
      waiters.signal();
    }
  }

  @About("after many signals without a waiter they stop looking, until a thread rests again")
  public void calmSignallersAreRoused(Simulation run) {
    Level level = new Level(soonCalm(true));
    WaitPlace end = level.newEnd();
    run.thread("waiter", level.awaits(end, 1), level.awaits(end, 2));
    run.thread(
        "publisher",
        level.waiters::signal,
        level.waiters::signal,
        level.publishes(1),
        level.waiters::signal,
        level.waiters::signal,
        level.publishes(2));
  }

  @About("who comes while another rouses the signallers may not rely on that yet")
  public void severalRouse(Simulation run) {
    Level level = new Level(soonCalm(false));
    threads(run, 2, "waiter", i -> level.awaits(1 + i).run());
    run.thread("publisher", level.publishes(2));
  }

  @About("signallers that calm down while waiters come and go do not overlook one")
  public void signallersCalmDownMeanwhile(Simulation run) {
    Supply supply = new Supply(soonCalm(false));
    threads(run, 2, "waiter", _ -> supply.takes(1).run());
    run.thread("giver", supply.gives(1), supply.waiters::signal, supply.waiters::signal);
    run.thread("another giver", supply.waiters::signal, supply.gives(1));
  }

  @About(
      "a waiter that needs more is woken too early while it rouses signallers, and rouses them"
          + " again")
  public void theNeedyRouse(Simulation run) {
    Supply supply = new Supply(soonCalm(false));
    run.thread("waiter for two", supply.takes(2));
    run.thread("waiter for one", supply.takes(1), supply.gives(1));
    run.thread("giver", supply.gives(1), supply.waiters::signal, supply.gives(2));
  }

  @About("who has roused the signallers has done it for those that come later")
  public void rousingIsOver(Simulation run) {
    Waiters waiters = soonCalm(true);
    WaitPlace end = new WaitPlace(waiters);
    run.thread(
        "waiter",
        () -> {
          run.check(!waiters.isAlert(), "alert before anybody rested");
          long step = waiters.pause(end, 0, WaitStrategy.FOREVER, 1); // only announces
          run.check(waiters.isRoused(), "not all are alert");
          waiters.leave(end, step);
          calm(waiters);
          run.check(!waiters.isRoused(), "alert after calming down");
        });
  }

  @About("only signals in a row count: a waiter in between sets the count to zero")
  public void calmAfterARow(Simulation run) {
    Level level = new Level(soonCalm(true));
    Flag signalled = new Flag();
    Flag left = new Flag();
    WaitPlace end = level.newEnd();
    WaitPlace other = level.newEnd();
    run.thread(
        "waiter",
        signalled::await,
        () -> {
          long step = level.waiters.pause(end, 0, WaitStrategy.FOREVER, 1); // only announces
          level.waiters.leave(end, step);
        },
        left::raise);
    run.thread(
        "publisher",
        () -> level.waiters.leave(other, level.waiters.pause(other, 0, WaitStrategy.FOREVER, 1)),
        level.waiters::signal,
        signalled::raise,
        left::await,
        level.waiters::signal,
        () -> run.check(level.waiters.isAlert(), "calm after one signal"),
        () -> calm(level.waiters));
  }

  @About("a thread that sleeps before it parks is woken once it parks")
  public void sleepsThenParks(Simulation run) {
    Level level = new Level(new WaitStrategy(1, 1, 1_000, 2), true);
    run.check(level.waiters.needSignals(), "no signals though it parks in the end");
    run.thread("waiter", level.awaits(2));
    run.thread("publisher", level.publishes(1), level.publishes(2));
  }

  @About("several that sleep, and several that signal at once")
  public void sleepersAndPublishers(Simulation run) {
    Level level = new Level(SLEEP, false);
    run.check(!level.waiters.needSignals(), "signals though it wakes by itself");
    for (int i = 0; i < 2; i++) {
      run.thread("waiter " + i, level.awaits(1));
      run.thread("publisher " + i, level.publishes(1));
    }
  }

  @About("a rest is no longer than its limit, whatever the strategy")
  public void restIsLimited(Simulation run) {
    Level level = new Level(new Waiters(PARK, false, 1_000));
    run.thread("waiter", level.awaits(1));
    run.thread("publisher", () -> level.published.setRelease(1));
  }

  @About("a worker of a pool is woken, whether the pool replaces it or refuses")
  public void workerIsWoken(Simulation run) {
    Level level = new Level(PARK, true);
    run.worker("worker", level.awaits(2));
    run.thread("publisher", level.publishes(1), level.publishes(2));
  }

  @About("workers of a pool wait side by side with other threads, and one of them not for long")
  public void workersAreWoken(Simulation run) {
    Supply supply = new Supply(PARK);
    run.worker(
        "impatient worker",
        () -> {
          if (supply.take(1, 1_000)) {
            supply.give(1);
          }
        });
    run.worker("worker", supply.takes(1));
    run.thread("waiter", supply.takes(1));
    run.thread("giver", supply.gives(1), supply.gives(1));
  }

  // ---- many threads of a side, each of which needs one of what is given, or more ----

  /** What is given: as many threads go on as there is enough for. */
  private static final class Supply {
    private final Waiters waiters;
    private final Sequence left = new Sequence();

    Supply(WaitStrategy strategy) {
      this(new Waiters(strategy, false, WaitStrategy.FOREVER));
    }

    Supply(Waiters waiters) {
      this.waiters = waiters;
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
      return take(null, count, limitNanos);
    }

    boolean take(WaitPlace end, int count, long limitNanos) throws InterruptedException {
      long deadline = Waiters.deadline(limitNanos);
      WaitPlace place = end;
      long step = 0;
      try {
        while (!tryTake(count)) {
          place = waiters.placeAt(step, place);
          step = waiters.pause(place, step, deadline, count);
          if (step == Waiters.TIMED_OUT) {
            return false;
          }
        }
        return true;
      } finally {
        waiters.leave(place, step);
      }
    }

    Body takes(int count) {
      return () -> take(count, WaitStrategy.FOREVER);
    }

    Body gives(int count) {
      return () -> give(count);
    }
  }

  @About("one signal for several slots wakes as many threads")
  public void aRunIsEnoughForSeveral(Simulation run) {
    Supply supply = new Supply(PARK);
    threads(run, 3, "waiter", _ -> supply.takes(1).run());
    run.thread("giver", supply.gives(1), supply.gives(2));
  }

  @About("several that give at once: no wake-up is lost, though one of them at a time wakes")
  public void severalGive(Simulation run) {
    Supply supply = new Supply(PARK);
    for (int i = 0; i < 2; i++) {
      run.thread("waiter " + i, supply.takes(1));
      run.thread("giver " + i, supply.gives(1));
    }
  }

  @About("who needs more is woken whenever there may be enough, and keeps nobody from the rest")
  public void needsDiffer(Simulation run) {
    Supply supply = new Supply(PARK);
    run.thread("waiter for two", supply.takes(2));
    run.thread("waiter for one", supply.takes(1), supply.gives(2));
    run.thread("giver", supply.gives(1));
  }

  @About("an end that needs more than the last time is not taken for one that needs as little")
  public void needsOfAnEndDiffer(Simulation run) {
    Supply supply = new Supply(PARK);
    WaitPlace end = new WaitPlace(supply.waiters);
    run.thread(
        "waiter for one, then for two",
        () -> {
          supply.take(end, 1, WaitStrategy.FOREVER);
          supply.take(end, 2, WaitStrategy.FOREVER);
        });
    run.thread("waiter for one", supply.takes(1), supply.gives(2));
    run.thread("giver", supply.gives(1), supply.gives(1));
  }

  @About("several ask who wakes to look again: each of them may rely on it")
  public void severalAskAtOnce(Simulation run) {
    Supply supply = new Supply(PARK);
    run.thread("waiter for three", supply.takes(3));
    threads(run, 3, "giver", _ -> supply.give(1));
  }

  @About("threads that need more, and givers at once: who wakes looks again if it is asked to")
  public void severalGiveToTheNeedy(Simulation run) {
    Supply supply = new Supply(PARK);
    run.thread("waiter for two", supply.takes(2));
    run.thread("waiter for three", supply.takes(3));
    run.thread("giver of two", supply.gives(2));
    run.thread("giver of three", supply.gives(3));
  }

  @About("a thread that gives up when it is woken passes that on")
  public void whoGivesUpPassesItOn(Simulation run) {
    Supply supply = new Supply(PARK);
    run.thread(
        "impatient",
        () -> {
          if (supply.take(1, 1_000)) {
            supply.give(1);
          }
        });
    run.thread("patient", supply.takes(1));
    run.thread("giver", supply.gives(1));
  }

  @About("a thread that is interrupted when it is woken passes that on")
  public void whoIsInterruptedPassesItOn(Simulation run) {
    Supply supply = new Supply(PARK);
    run.thread(
        "interrupted",
        () -> {
          try {
            supply.takes(1).run();
            supply.give(1);
          } catch (InterruptedException e) {
            // has taken nothing
          }
        });
    run.thread("interrupter", () -> run.interrupt("interrupted"));
    run.thread("patient", supply.takes(1));
    run.thread("giver", supply.gives(1));
  }

  @About("a thread that never waited takes what another was woken for, and gives it back")
  public void anotherIsFaster(Simulation run) {
    Supply supply = new Supply(PARK);
    threads(run, 2, "waiter", _ -> supply.takes(1).run());
    run.thread(
        "passer-by",
        () -> {
          if (supply.tryTake(1)) {
            supply.give(1);
          }
        });
    run.thread("giver", supply.gives(2));
  }

  @About("a place that was left while it was listed is used again, and its thread is woken there")
  public void aPlaceIsUsedAgain(Simulation run) {
    Supply supply = new Supply(PARK);
    run.thread(
        "comes again",
        () -> {
          WaitPlace end = new WaitPlace(supply.waiters);
          while (!supply.take(end, 1, 500)) {
            // again
          }
        });
    run.thread("waiter for two", supply.takes(2));
    run.thread("giver", supply.gives(1), supply.gives(2));
  }

  @About("threads that take and give in turn: who leaves passes on what others gave meanwhile")
  public void threadsTakeInTurn(Simulation run) {
    Supply supply = new Supply(PARK);
    Numbered step =
        _ -> {
          supply.takes(1).run();
          supply.give(1);
        };
    threads(run, 3, "waiter", step);
    run.thread("giver", supply.gives(1));
  }

  @About("of the threads that sleep one wakes by the timer, and takes the others along")
  public void oneSleeperLeads(Simulation run) {
    Supply supply = new Supply(SLEEP);
    threads(run, 2, "waiter", _ -> supply.takes(1).run());
    run.thread("impatient", () -> supply.take(4, 1_500));
    run.thread("giver", () -> supply.giveInSilence(2));
  }
}
