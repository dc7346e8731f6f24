package dev.millrace.simulator;

import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** A monitor or a lock in one execution: which thread holds it, and what the last holder knew. */
final class SimulatedLock {
  /*
   * A thread may lose its turn before it takes the lock. If the lock is held, the thread cannot run
   * until it is free, and then competes with all others. The next holder learns what the last one
   * knew when it released the lock: a happens-before edge, and nothing more.
   */
  private final Simulation simulation;
  private final Object object;
  private final int number;
  private SimulatedThread owner; // null while it is free
  private int count; // how often the owner has taken it

  // What the last holder knew when it released it; null if there was none.
  private long[] view;
  private int[] clock;

  /**
   * Makes one that is free.
   *
   * @param object whose monitor it is, or the lock that it stands for
   * @param number its own in the execution
   */
  SimulatedLock(Simulation simulation, Object object, int number) {
    this.simulation = simulation;
    this.object = object;
    this.number = number;
  }

  /** What traces call it. */
  String name() {
    return object.getClass().getSimpleName() + " " + number;
  }

  private SimulatedThread current() {
    return simulation.current();
  }

  /** Whether a thread could take it. */
  boolean isFree() {
    return owner == null;
  }

  boolean isOwn() {
    return owner == current();
  }

  // ---- taking and releasing ----

  /** Takes it, once it is free. */
  void lock() {
    simulation.point(false);
    take(1);
  }

  /** The same, unless the thread is or gets interrupted. */
  void lockInterruptibly() throws InterruptedException {
    simulation.point(false);
    SimulatedThread thread = current();
    while (!thread.interrupted && !isOwn() && !isFree()) {
      simulation.awaitLock(this, true);
    }
    throwIfInterrupted();
    take(1);
  }

  /** Takes it if it is free. */
  boolean tryLock() {
    simulation.point(false);
    boolean isTaken = isOwn() || isFree();
    if (isTaken) {
      take(1);
    }
    return isTaken;
  }

  private void take(int times) {
    SimulatedThread thread = current();
    while (!isFree() && owner != thread) {
      simulation.awaitLock(this, false);
    }
    if (isFree()) {
      owner = thread;
      if (view != null) {
        simulation.memory.learn(thread, view, clock);
      }
      trace("lock ");
    }
    count += times;
  }

  /** Releases it, once it was unlocked as often as it was locked. */
  void unlock() {
    checkOwn();
    if (--count == 0) {
      free();
    }
  }

  private void checkOwn() {
    if (!isOwn()) {
      throw new IllegalMonitorStateException(
          "thread does not hold the lock: thread=" + current().name + ", lock=" + name());
    }
  }

  private void free() {
    SimulatedThread thread = current();
    view = thread.view.clone();
    clock = thread.clock.clone();
    thread.clock[thread.id]++;
    owner = null;
    trace("unlock ");
  }

  private void trace(String event) {
    if (simulation.trace.isOn()) {
      simulation.trace.event(event + name());
    }
  }

  private void throwIfInterrupted() throws InterruptedException {
    SimulatedThread thread = current();
    if (thread.interrupted) {
      thread.interrupted = false;
      throw new InterruptedException();
    }
  }

  // ---- conditions ----

  Condition newCondition() {
    return new SimulatedCondition();
  }

  /** A condition of the lock. A signal wakes any one of the threads that wait. */
  @SuppressWarnings("WaitNotInLoop") // those that call it have the loop
  private final class SimulatedCondition implements Condition {
    private final List<SimulatedThread> waiting = new ArrayList<>(2);

    /**
     * Releases the lock, waits, at most until a time, and takes the lock again.
     *
     * @return whether a signal ended it
     */
    private boolean rest(long until) {
      checkOwn();
      SimulatedThread thread = current();
      int times = count;
      waiting.add(thread);
      count = 0;
      free();
      simulation.rest(SimulatedLock.this, until);
      boolean isSignalled = !waiting.remove(thread);
      simulation.point(false);
      take(times);
      return isSignalled;
    }

    @Override
    public void awaitUninterruptibly() {
      boolean _ = rest(SimulatedThread.UNTIL_WOKEN);
    }

    @Override
    public void await() throws InterruptedException {
      awaitUntil(SimulatedThread.UNTIL_WOKEN);
    }

    private void awaitUntil(long until) throws InterruptedException {
      checkOwn();
      throwIfInterrupted();
      if (!rest(until)) {
        throwIfInterrupted(); // after a signal the interrupt stays
      }
    }

    @Override
    public long awaitNanos(long nanos) throws InterruptedException {
      if (nanos == SimulatedThread.UNTIL_WOKEN) {
        awaitUntil(nanos);
        return nanos;
      }
      long until = simulation.timeIn(Math.max(0, nanos));
      awaitUntil(until);
      return until - simulation.nanoTime();
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
      return awaitNanos(unit.toNanos(time)) > 0;
    }

    @Override
    public boolean awaitUntil(Date deadline) {
      throw Simulation.refusal("the simulator does not support Condition.awaitUntil");
    }

    @Override
    public void signal() {
      checkOwn();
      if (!waiting.isEmpty()) {
        wake(waiting.remove(simulation.choose(waiting.size())));
      }
    }

    @Override
    public void signalAll() {
      checkOwn();
      waiting.forEach(this::wake);
      waiting.clear();
    }

    private void wake(SimulatedThread thread) {
      thread.parkedUntil = SimulatedThread.NOT_PARKED;
      if (simulation.trace.isOn()) {
        simulation.trace.event("signal " + thread.name);
      }
    }
  }
}
