package dev.millrace.simulator.litmus;

import dev.millrace.simulator.Simulation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Instant;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Programs that wait, park and wake. */
public final class Schedules {
  private static final VarHandle WAITER;

  static {
    try {
      WAITER = MethodHandles.lookup().findVarHandle(Schedules.class, "waiter", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final long HOUR = 3_600_000_000_000L;

  private final Variable ready = new Variable();

  @SuppressWarnings("unused") // through its handle
  private Thread waiter;

  private Schedules() {}

  private boolean isReady() {
    return ready.call("getOpaque", 0, 0) != 0;
  }

  /** A weak exchange that nobody else disturbs. */
  public static void weakExchange(Simulation run) {
    Schedules v = new Schedules();
    run.thread(
        "thread",
        () ->
            run.outcome(
                WAITER.weakCompareAndSet(v, (Thread) null, Thread.currentThread())
                    ? "exchanged"
                    : "failed"));
  }

  /** Unparks a thread whose object came by a race. */
  public static void unparkByRace(Simulation run) {
    Schedules v = new Schedules();
    run.thread("waiter", () -> WAITER.setOpaque(v, Thread.currentThread()));
    run.thread(
        "signaller",
        () -> {
          Thread thread = (Thread) WAITER.getAcquire(v);
          if (thread != null) {
            LockSupport.unpark(thread);
          }
        });
  }

  /** Nobody wakes anybody. */
  public static void bothPark(Simulation run) {
    run.thread("one", () -> LockSupport.park());
    run.thread("other", () -> LockSupport.park(run));
  }

  /** The wake-up is lost: each may look before it sees what the other wrote. */
  public static void wakeUpWithoutFence(Simulation run) {
    wakeUp(run, false);
  }

  /** With full fences one of them sees the other's write. */
  public static void wakeUpWithFence(Simulation run) {
    wakeUp(run, true);
  }

  private static void wakeUp(Simulation run, boolean fences) {
    Schedules v = new Schedules();
    run.thread(
        "waiter",
        () -> {
          WAITER.setRelease(v, Thread.currentThread());
          if (fences) {
            VarHandle.fullFence();
          }
          if (!v.isReady()) {
            LockSupport.park();
          }
        });
    run.thread("signaller", () -> v.wakeUp("setOpaque", fences));
  }

  private void wakeUp(String write, boolean fences) {
    ready.call(write, 1, 0);
    if (fences) {
      VarHandle.fullFence();
    }
    Thread thread = (Thread) WAITER.getAcquire(this);
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  /** Of a worker that checks again before it parks. */
  public static void wakeUpOfWorker(Simulation run) {
    wakeUpOfWorker(run, true);
  }

  /** The wake-up is lost: the pool's own waiting used up the permit. */
  public static void wakeUpOfCarelessWorker(Simulation run) {
    wakeUpOfWorker(run, false);
  }

  private static void wakeUpOfWorker(Simulation run, boolean checks) {
    Schedules v = new Schedules();
    run.worker(
        "worker",
        () -> {
          WAITER.setRelease(v, Thread.currentThread());
          VarHandle.fullFence();
          Blocker blocker = new Blocker(v, checks);
          try {
            ForkJoinPool.managedBlock(blocker);
            run.outcome("replaced");
          } catch (RejectedExecutionException e) {
            boolean _ = blocker.block();
            run.outcome("refused");
          }
        });
    run.thread("signaller", () -> v.wakeUp("getAndSet", true));
  }

  private record Blocker(Schedules v, boolean checks) implements ForkJoinPool.ManagedBlocker {
    @Override
    public boolean isReleasable() {
      return v.ready.call("getAndAdd", 0, 0) != 0; // the last value that an update wrote
    }

    @Override
    public boolean block() {
      if (!checks || !isReleasable()) {
        LockSupport.park();
      }
      return true;
    }
  }

  /** A thread that is no worker of a pool is never refused. */
  public static void managedBlockOfThread(Simulation run) {
    Schedules v = new Schedules();
    run.thread(
        "thread",
        () -> {
          VarHandle.fullFence();
          v.ready.call("setOpaque", 1, 0);
          ForkJoinPool.managedBlock(new Blocker(v, true));
          run.outcome("went on");
        });
  }

  /** A flag that nobody sets. */
  public static void spinForEver(Simulation run) {
    Schedules v = new Schedules();
    run.thread(
        "spinner",
        () -> {
          while (!v.isReady()) {
            Thread.onSpinWait();
          }
        });
    run.thread("other", () -> v.ready.call("getOpaque", 0, 0));
  }

  /** The same, without any access, by the thread that runs alone. */
  public static void spinInTheEnd(Simulation run) {
    run.atEnd(
        () -> {
          while (!Thread.interrupted()) {
            Thread.onSpinWait();
          }
        });
  }

  /** No thread is left to wake it. */
  public static void parkInTheEnd(Simulation run) {
    run.atEnd(
        () -> {
          LockSupport.park();
          LockSupport.park(); // the first may return for no reason
          LockSupport.park();
          LockSupport.park();
        });
  }

  /** It wakes itself. */
  public static void parkInTheEndForATime(Simulation run) {
    run.atEnd(() -> LockSupport.parkNanos(HOUR));
  }

  /** A thread that starts another. */
  public static void lateThread(Simulation run) {
    run.thread("thread", () -> run.thread("late"));
  }

  /** An interrupt without a thread. */
  public static void interruptOfNone(Simulation run) {
    run.thread("thread", () -> run.interrupt("none"));
  }

  /** A flag that is set in the end. */
  public static void spin(Simulation run) {
    Schedules v = new Schedules();
    run.thread(
        "spinner",
        () -> {
          while (!v.isReady()) {
            Thread.yield();
          }
        });
    run.thread("other", () -> v.ready.call("setOpaque", 1, 0));
  }

  /** Two permits are one. */
  public static void permits(Simulation run) {
    run.thread(
        "thread",
        () -> {
          LockSupport.unpark(Thread.currentThread());
          LockSupport.unpark(Thread.currentThread());
          LockSupport.park();
          run.outcome("first");
          LockSupport.park();
          run.outcome("second");
        });
  }

  /** An hour, or less if it is woken without a reason. */
  public static void parkForAnHour(Simulation run) {
    run.thread(
        "thread",
        () -> {
          long start = System.nanoTime();
          LockSupport.parkNanos(HOUR);
          run.outcome(System.nanoTime() - start >= HOUR ? "in time" : "early");
        });
    run.thread("other", () -> {});
  }

  /** Ends at once. */
  public static void parkForNoTime(Simulation run) {
    run.thread("thread", () -> LockSupport.parkNanos(run, 0));
  }

  /** An interrupt ends a park, or makes the next end at once. */
  public static void interrupt(Simulation run) {
    run.thread(
        "sleeper",
        () -> {
          LockSupport.park();
          boolean first = Thread.interrupted();
          run.outcome(first + " " + Thread.interrupted());
        });
    run.thread("other", () -> run.interrupt("sleeper"));
  }

  /** Threads know who they are. */
  @SuppressWarnings("ReferenceEquality") // threads have no other
  public static void identities(Simulation run) {
    Thread real = Thread.currentThread();
    Thread[] seen = new Thread[2];
    run.thread("one", () -> seen[0] = Thread.currentThread());
    run.thread("other", () -> seen[1] = Thread.currentThread());
    run.atEnd(
        () -> {
          run.check(Thread.currentThread() == real, "checks run as the one that set up");
          run.check(seen[0] != real && seen[1] != real, "simulated threads are others");
          run.check(seen[0] != seen[1], "each is another");
        });
  }

  /** Time never stands still. */
  public static void time(Simulation run) {
    run.thread(
        "thread",
        () -> {
          long start = System.nanoTime();
          run.check(System.nanoTime() > start, "later is more");
          Instant instant = Instant.now();
          run.check(Instant.now().isAfter(instant), "later is after");
          LockSupport.parkNanos(HOUR);
          long hour = TimeUnit.NANOSECONDS.toMillis(HOUR);
          run.check(System.currentTimeMillis() <= hour, "an hour, or less if woken early");
        });
  }

  /** Three threads of eight accesses each. */
  public static void threeByEight(Simulation run) {
    Variable[] variables = {new Variable(), new Variable(), new Variable()};
    for (int i = 0; i < 3; i++) {
      Variable own = variables[i];
      Variable next = variables[(i + 1) % 3];
      run.thread(
          "thread " + i,
          () -> {
            for (int j = 0; j < 4; j++) {
              own.call("getAndAdd", 1, 0);
              next.call("getAndAdd", 1, 0);
            }
          });
    }
    run.atEnd(() -> run.outcome("sum " + variables[0].call("getOpaque", 0, 0)));
  }

  /** A thread that may die before any of its accesses; what it did before that is seen. */
  public static void death(Simulation run) {
    Variable plain = new Variable();
    Variable counter = new Variable();
    run.mortalThread(
        "mortal",
        () -> {
          for (int i = 1; i <= 3; i++) {
            plain.call("set", i, 0);
            counter.call("setOpaque", i, 0);
          }
        });
    run.thread(
        "other",
        () -> {
          if (run.isDead("mortal")) {
            long done = counter.call("getOpaque", 0, 0);
            run.check(done < 3, "dead, though it came to its end");
            run.check(plain.call("get", 0, 0) == done + 1, "what it did before is not seen");
          }
        });
    run.atEnd(
        () -> {
          boolean isDead = run.isDead("mortal");
          run.outcome((isDead ? "dead at " : "ended at ") + counter.call("getOpaque", 0, 0));
        });
  }

  /** Waits for a thread that may die, and so would have made it wait for ever. */
  public static void deathAwaited(Simulation run) {
    Schedules v = new Schedules();
    run.mortalThread("mortal", () -> v.ready.call("setOpaque", 1, 0));
    run.thread(
        "other",
        () -> {
          while (!v.isReady() && !run.isDead("mortal")) {
            Thread.onSpinWait();
          }
        });
  }

  /** Waits for a thread that may die, and does not ask whether it has. */
  public static void deathUnnoticed(Simulation run) {
    Schedules v = new Schedules();
    run.mortalThread("mortal", () -> v.ready.call("setOpaque", 1, 0));
    run.thread(
        "other",
        () -> {
          while (!v.isReady()) {
            Thread.onSpinWait();
          }
        });
  }

  /** Fails in few executions: an update is lost. */
  public static void lostUpdate(Simulation run) {
    Variable counter = new Variable();
    for (String name : new String[] {"one", "other"}) {
      run.thread(name, () -> counter.call("setOpaque", counter.call("getOpaque", 0, 0) + 1, 0));
    }
    run.atEnd(() -> run.check(counter.call("getOpaque", 0, 0) == 2, "an update is lost"));
  }

  /** Keeps an object from execution to execution. */
  public static void keptObject(Simulation run) {
    run.thread("thread", () -> KEPT.call("setOpaque", 1, 0));
  }

  private static final Variable KEPT = new Variable();
}
