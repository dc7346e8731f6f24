package dev.millrace.simulator.litmus;

import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Programs with monitors and locks. */
@SuppressWarnings({"LockNotBeforeTry", "WaitNotInLoop"}) // some are wrong on purpose
public final class Locks {
  private static final long HOUR = 3_600_000_000_000L;
  private static final Object STATIC = new Object();

  private final Object monitor = new Object();
  private final Object other = new Object();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Variable ready = new Variable();
  private int value;
  private int more;
  private boolean isSet;

  private Locks() {}

  /** Adds two threads that do the same. */
  private static void twice(Simulation run, Body step) {
    run.thread("one", step);
    run.thread("other", step);
  }

  // ---- mutual exclusion and what a lock publishes ----

  private synchronized int increment() {
    return ++value;
  }

  /** Throws with the monitor in hand. */
  private synchronized void incrementAndThrow() {
    value++;
    throw new IllegalStateException("thrown");
  }

  private synchronized void incrementTwice() {
    value++;
    int _ = increment(); // it has the monitor already
  }

  /** Its monitor is the class's. */
  private static synchronized void incrementByClass(Locks v) {
    v.value++;
  }

  /** Increments of a plain field. */
  public static void synchronizedMethods(Simulation run) {
    Locks v = new Locks();
    run.thread("one", v::incrementTwice);
    run.thread(
        "other",
        () -> {
          try {
            v.incrementAndThrow();
          } catch (IllegalStateException e) {
            run.check(e.getMessage().equals("thrown"), "another exception");
          }
        });
    run.thread("third", () -> run.check(v.increment() >= 1, "not incremented"));
    run.atEnd(() -> run.check(v.value == 4, "an increment is lost: " + v.value));
  }

  /** The same by a static method. */
  public static void staticSynchronizedMethod(Simulation run) {
    Locks v = new Locks();
    twice(run, () -> incrementByClass(v));
    run.atEnd(() -> run.check(v.value == 2, "an increment is lost"));
  }

  /** The same in blocks, one of which ends by an exception, of an object that is always there. */
  public static void synchronizedBlocks(Simulation run) {
    Locks v = new Locks();
    twice(
        run,
        () -> {
          try {
            synchronized (STATIC) {
              synchronized (v.monitor) {
                v.value++;
                throw new IllegalStateException();
              }
            }
          } catch (IllegalStateException e) {
            synchronized (v.monitor) {
              v.value++;
            }
          }
        });
    run.atEnd(() -> run.check(v.value == 4, "an increment is lost"));
  }

  /** The same with a lock, taken in all ways. */
  public static void locks(Simulation run) {
    Locks v = new Locks();
    run.thread(
        "one",
        () -> {
          v.lock.lock();
          v.lock.lock();
          v.value++;
          v.lock.unlock();
          run.check(v.lock.isHeldByCurrentThread(), "given up too early");
          v.more++;
          v.lock.unlock();
          run.check(!v.lock.isHeldByCurrentThread(), "not given up");
        });
    run.thread(
        "other",
        () -> {
          v.lock.lockInterruptibly();
          v.value++;
          v.more++;
          v.lock.unlock();
        });
    run.thread(
        "third",
        () -> {
          boolean isTaken = v.lock.tryLock();
          if (isTaken) {
            v.value++;
            v.more++;
            v.lock.unlock();
          }
          run.outcome(isTaken ? "taken" : "busy");
        });
    run.atEnd(() -> run.check(v.value == v.more && v.value >= 2, "an increment is lost"));
  }

  /** What one wrote another that has the monitor later sees, of plain and of weaker variables. */
  public static void monitorPublishes(Simulation run) {
    Locks v = new Locks();
    run.thread(
        "writer",
        () -> {
          v.value = 1;
          v.ready.call("setOpaque", 1, 0);
          synchronized (v.monitor) {
            v.isSet = true;
          }
        });
    run.thread(
        "reader",
        () -> {
          boolean isSet;
          synchronized (v.monitor) {
            isSet = v.isSet;
          }
          if (isSet) {
            run.check(v.value == 1, "not published");
            run.check(v.ready.call("getOpaque", 0, 0) == 1, "a value that is too old");
          }
          run.outcome(isSet ? "set" : "not yet");
        });
  }

  /** Two monitors order nothing: the value may be too old though it was written before. */
  public static void twoMonitors(Simulation run) {
    Locks v = new Locks();
    Variable flag = new Variable();
    run.thread(
        "writer",
        () -> {
          synchronized (v.monitor) {
            v.ready.call("setOpaque", 1, 0);
          }
          flag.call("setOpaque", 1, 0);
        });
    run.thread(
        "reader",
        () -> {
          if (flag.call("getOpaque", 0, 0) == 1) {
            synchronized (v.other) {
              run.outcome("read " + v.ready.call("getOpaque", 0, 0));
            }
          }
        });
  }

  // ---- races ----

  /** A field is read with the monitor and written without. */
  public static void raceBesideMonitor(Simulation run) {
    Locks v = new Locks();
    run.thread("reader", () -> run.check(v.increment() > 0, "not incremented"));
    run.thread("writer", () -> v.value = 5);
  }

  /** A field that each thread writes with another monitor. */
  public static void raceWithTwoMonitors(Simulation run) {
    Locks v = new Locks();
    run.thread(
        "one",
        () -> {
          synchronized (v.monitor) {
            v.value = 1;
          }
        });
    run.thread(
        "other",
        () -> {
          synchronized (v.other) {
            v.value = 2;
          }
        });
  }

  /** A write behind the lock. */
  public static void raceBehindLock(Simulation run) {
    Locks v = new Locks();
    twice(
        run,
        () -> {
          v.lock.lock();
          v.value++;
          v.lock.unlock();
          v.value++;
        });
  }

  /** A thread that did not get the lock writes nevertheless. */
  public static void raceAfterFailedTry(Simulation run) {
    Locks v = new Locks();
    twice(
        run,
        () -> {
          boolean isTaken = v.lock.tryLock();
          v.value++;
          if (isTaken) {
            v.lock.unlock();
          }
        });
  }

  // ---- what never ends ----

  /** Two monitors, taken in opposite order. */
  public static void oppositeOrder(Simulation run) {
    Locks v = new Locks();
    run.thread(
        "one",
        () -> {
          synchronized (v.monitor) {
            synchronized (v.other) {
              v.value++;
            }
          }
        });
    run.thread(
        "other",
        () -> {
          synchronized (v.other) {
            synchronized (v.monitor) {
              v.value++;
            }
          }
        });
  }

  /** The same of a lock and a monitor, in one order. */
  public static void oneOrder(Simulation run) {
    Locks v = new Locks();
    twice(
        run,
        () -> {
          v.lock.lock();
          synchronized (v.monitor) {
            v.value++;
          }
          v.lock.unlock();
        });
    run.atEnd(() -> run.check(v.value == 2, "an increment is lost"));
  }

  /** A lock that is never given up. */
  public static void neverUnlocked(Simulation run) {
    Locks v = new Locks();
    twice(run, () -> v.lock.lock());
  }

  /** The same, found by the thread that checks in the end. */
  public static void neverUnlockedInTheEnd(Simulation run) {
    Locks v = new Locks();
    run.thread("one", () -> v.lock.lock());
    run.atEnd(() -> v.lock.lock());
  }

  /** A thread that waits though nothing will change any more. */
  public static void lostSignal(Simulation run) {
    Locks v = new Locks();
    run.thread(
        "waiter",
        () -> {
          boolean isSet = v.readLocked();
          v.lock.lock(); // the signal may have come in between
          if (!isSet) {
            v.changed.awaitUninterruptibly();
          }
          v.lock.unlock();
        });
    run.thread("signaller", () -> v.set(false));
  }

  /** One signal for two that wait. */
  public static void signalForOne(Simulation run) {
    waiters(run, false);
  }

  /** A signal for all. */
  public static void signalForAll(Simulation run) {
    waiters(run, true);
  }

  private static void waiters(Simulation run, boolean all) {
    Locks v = new Locks();
    twice(run, v::awaitSet);
    run.thread("signaller", () -> v.set(all));
  }

  private boolean readLocked() {
    lock.lock();
    try {
      return isSet;
    } finally {
      lock.unlock();
    }
  }

  private void awaitSet() throws InterruptedException {
    lock.lock();
    try {
      while (!isSet) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  private void set(boolean all) {
    lock.lock();
    try {
      isSet = true;
      if (all) {
        changed.signalAll();
      } else {
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  // ---- waiting ----

  /** A wait that another thread ends; its lock is taken as often as before. */
  public static void await(Simulation run) {
    Locks v = new Locks();
    run.thread(
        "waiter",
        () -> {
          v.lock.lock();
          v.awaitSet();
          run.check(v.lock.isHeldByCurrentThread(), "not taken again");
          v.value++;
          v.lock.unlock();
          run.check(!v.lock.isHeldByCurrentThread(), "taken too often");
        });
    run.thread(
        "signaller",
        () -> {
          v.lock.lock();
          v.value++;
          v.lock.unlock();
          v.set(false);
        });
    run.atEnd(() -> run.check(v.value == 2, "an increment is lost"));
  }

  /** A condition that is waited for once, without a loop. */
  public static void awaitOnce(Simulation run) {
    Locks v = new Locks();
    run.thread(
        "waiter",
        () -> {
          v.lock.lock();
          if (!v.isSet) {
            v.changed.await();
          }
          run.outcome(v.isSet ? "set" : "for no reason");
          v.lock.unlock();
        });
    run.thread("signaller", () -> v.set(false));
  }

  /** No thread signals: the time passes. */
  public static void awaitForAnHour(Simulation run) {
    Locks v = new Locks();
    run.thread(
        "waiter",
        () -> {
          v.lock.lock();
          long left = HOUR;
          while (left > 0) {
            left = v.changed.awaitNanos(left);
          }
          run.check(System.nanoTime() >= HOUR, "too early");
          while (v.changed.await(1, TimeUnit.HOURS)) {} // until it was not woken for no reason
          v.lock.unlock();
        });
    run.thread("other", () -> v.readLocked());
  }

  /** A wait ends by a signal or by its time, and the signal is not lost. */
  public static void signalOrTime(Simulation run) {
    Locks v = new Locks();
    run.thread(
        "waiter",
        () -> {
          v.lock.lock();
          long left = v.isSet ? HOUR : v.changed.awaitNanos(HOUR);
          run.outcome(left > 0 ? "in time" : "too late");
          v.lock.unlock();
        });
    run.thread("patient", v::awaitSet);
    run.thread("signaller", () -> v.set(true));
  }

  /** Waits that an interrupt ends. */
  public static void interruptedWaits(Simulation run) {
    Locks v = new Locks();
    run.thread("waiter", () -> run.outcome(v.isInterrupted(() -> v.awaitSet()) + " in await"));
    run.thread("interrupter", () -> run.interrupt("waiter"));
  }

  /** The same before a lock that another thread has until then. */
  public static void interruptedLock(Simulation run) {
    Locks v = new Locks();
    run.thread(
        "owner",
        () -> {
          v.lock.lock();
          run.interrupt("waiter");
          while (!v.isDone()) {
            Thread.onSpinWait();
          }
          v.lock.unlock();
        });
    run.thread(
        "waiter",
        () -> {
          boolean isInterrupted =
              v.isInterrupted(
                  () -> {
                    v.lock.lockInterruptibly();
                    v.lock.unlock();
                  });
          v.ready.call("setRelease", 1, 0);
          run.outcome(isInterrupted ? "interrupted" : "taken");
        });
  }

  private boolean isDone() {
    return ready.call("getAcquire", 0, 0) == 1;
  }

  private boolean isInterrupted(Body body) throws Exception {
    try {
      body.run();
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }

  // ---- misuse ----

  /** A lock that the thread does not have. */
  public static void misuse(Simulation run) {
    Locks v = new Locks();
    run.thread(
        "owner",
        () -> {
          v.lock.lock();
          v.ready.call("setRelease", 1, 0);
        });
    run.thread(
        "other",
        () -> {
          while (!v.isDone()) {
            Thread.onSpinWait();
          }
          run.check(!v.lock.tryLock(), "taken from its owner");
          run.check(!v.lock.isHeldByCurrentThread(), "it is another's");
          run.check(fails(() -> v.lock.unlock()), "given up for another");
          run.check(fails(() -> v.changed.signal()), "signalled by another");
          run.check(fails(() -> v.changed.signalAll()), "all signalled by another");
          run.check(fails(() -> v.changed.await()), "awaited by another");
        });
  }

  private static boolean fails(Body body) throws Exception {
    try {
      body.run();
      return false;
    } catch (IllegalMonitorStateException e) {
      return e.getMessage().contains("thread does not hold the lock: thread=other");
    }
  }

  /** A monitor of nothing. */
  public static void monitorOfNull(Simulation run) {
    run.thread(
        "thread",
        () -> {
          Object none = STATIC.equals(run) ? STATIC : null;
          try {
            synchronized (none) {
              run.check(false, "a monitor of nothing");
            }
          } catch (NullPointerException e) {
            run.outcome("refused");
          }
        });
  }
}
