package dev.millrace.simulator;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;

/**
 * One execution of a scenario: its threads, run in turns by one thread of the JVM, and its memory.
 *
 * <p>A {@link Scenario} uses it to say what its threads do and what must hold in the end. What the
 * scenario does while it is set up happens before all that the threads do, and that before the
 * checks at the end.
 */
public final class Simulation {
  /** What a thread of a scenario does. */
  @FunctionalInterface
  public interface Body {
    /**
     * Runs as a simulated thread.
     *
     * @throws Exception to fail the execution
     */
    void run() throws Exception;
  }

  /*
   * A thread may lose its turn before each atomic access, full fence, and call of Thread or
   * LockSupport that the weaver replaces, and before it takes a monitor or a lock. Plain accesses
   * need no such points: if it mattered who comes first they would race, which the race detector
   * finds in any order. A mortal thread may die at the same points.
   *
   * An execution that is long is continued fairly and with fresh reads; if it does not end then, it
   * never will.
   */
  private static final int STEPS_AT_WILL = 2_000;
  private static final int STEPS_IN_ALL = 40_000;
  private static final int STEPS_OF_A_FAIR_TURN = 16;

  /** A loop that only reads its own variables passes no point. */
  private static final int ACCESSES_IN_ALL = 100_000;

  private static final long NANOS_PER_LOOK = 50;
  private static final int GOLDEN_RATIO = 0x9E3779B9; // of 2^32: multiples of it are far apart

  final MemoryModel memory;
  final NativeStore store;
  final ArrayStore arrays = new ArrayStore(this);
  final Trace trace;

  private final Carrier carrier = Carrier.current();
  private final Choices choices;
  private final SimulatedThread starter;
  private final List<SimulatedThread> threads = new ArrayList<>();
  private IdentityHashMap<Object, SimulatedLock> locks; // by identity; null while there is none
  private final SimulatedThread[] candidates = new SimulatedThread[MemoryModel.MAX_THREADS];
  private Body atEnd = () -> {};
  private SimulatedThread upcoming;
  private Throwable failure;
  private String outcome;
  private boolean hasBegun;
  private int steps;
  private int accesses;
  private long nanoTime;
  private int randoms; // how many were drawn

  Simulation(Choices choices, boolean traced) {
    this.choices = choices;
    this.trace = new Trace(this, traced);
    this.memory = new MemoryModel(choices, trace);
    this.store = new NativeStore(this, carrier.locations);
    this.starter = new SimulatedThread(0, "setup", Thread.currentThread(), null);
    starter.view = Views.NO_VIEW;
    starter.clock = new int[MemoryModel.MAX_THREADS];
    starter.clock[0] = 1;
    memory.current = starter;
  }

  // ---- for scenarios ----

  /**
   * Adds a thread.
   *
   * @param name what traces call it
   * @param steps what it does, one after the other
   * @throws IllegalStateException if there are too many
   */
  public void thread(String name, Body... steps) {
    add(name, carrier.identity(nextId(name)), steps);
  }

  /**
   * Adds a thread that is a worker of a {@link ForkJoinPool}.
   *
   * @param name what traces call it
   * @param steps what it does, one after the other
   * @throws IllegalStateException if there are too many
   */
  public void worker(String name, Body... steps) {
    add(name, carrier.worker(nextId(name)), steps);
  }

  private int nextId(String name) {
    if (hasBegun) {
      throw new IllegalStateException("threads have begun, none can be added: thread=" + name);
    }
    int id = threads.size() + 1;
    if (id == MemoryModel.MAX_THREADS) {
      throw new IllegalStateException(
          "threads must be at most " + (MemoryModel.MAX_THREADS - 1) + ": thread=" + name);
    }
    return id;
  }

  private void add(String name, Thread identity, Body... steps) {
    threads.add(new SimulatedThread(threads.size() + 1, name, identity, inTurn(steps)));
  }

  /**
   * Adds a thread that now and then stops, wherever it is, until no other thread can go on: as if
   * the operating system gave it no time.
   *
   * @param name what traces call it
   * @param steps what it does, one after the other
   * @throws IllegalStateException if there are too many
   */
  public void slowThread(String name, Body... steps) {
    thread(name, steps);
    threads.getLast().isSlow = true;
  }

  /**
   * Adds a thread that now and then dies: it stops for good at one of the points where it may lose
   * its turn, as if its process were killed there. The others go on, and the execution may end
   * without it. A thread that finds it dead sees what it did before: see {@link #isDead}.
   *
   * @param name what traces call it
   * @param steps what it does, one after the other
   * @throws IllegalStateException if there are too many
   */
  public void mortalThread(String name, Body... steps) {
    thread(name, steps);
    threads.getLast().isMortal = true;
  }

  /**
   * Whether a thread has died. If so, the caller sees all that it did, as who learns from an
   * operating system that a process has ended.
   *
   * @param name the thread's
   * @return whether it has stopped for good; false if it has come to its end
   * @throws IllegalArgumentException if there is none of this name
   */
  public boolean isDead(String name) {
    point(false);
    SimulatedThread found = named(name);
    if (found.isDead) {
      memory.learn(memory.current, found.view, found.clock);
    }
    return found.isDead;
  }

  private SimulatedThread named(String name) {
    return threads.stream()
        .filter(thread -> thread.name.equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no thread of this name: " + name));
  }

  private static Body inTurn(Body... steps) {
    return () -> {
      for (Body step : steps) {
        step.run();
      }
    };
  }

  /**
   * Says what to check once all threads have ended; it sees all that they did.
   *
   * @param checks each fails the execution by an exception
   */
  public void atEnd(Body... checks) {
    atEnd = inTurn(checks);
  }

  /**
   * Fails the execution unless a condition holds.
   *
   * @param condition what must hold
   * @param message what is wrong if it does not
   */
  public void check(boolean condition, String message) {
    if (!condition) {
      throw new AssertionError(message);
    }
  }

  /**
   * Tells what came out, for counting.
   *
   * @param result for example the values read
   */
  public void outcome(String result) {
    outcome = result;
  }

  /**
   * Interrupts a thread, as {@link Thread#interrupt} does.
   *
   * @param name the thread's
   * @throws IllegalArgumentException if there is none of this name
   */
  public void interrupt(String name) {
    point(false);
    if (threads.stream().noneMatch(thread -> thread.name.equals(name))) {
      throw new IllegalArgumentException("no thread of this name: " + name);
    }
    for (SimulatedThread thread : threads) {
      if (thread.name.equals(name)) {
        thread.interrupted = true;
        thread.parkedUntil = SimulatedThread.NOT_PARKED;
      }
    }
  }

  /**
   * A full fence in each thread of the execution under way, at one moment: what HotSpot does, for
   * example, when a shared arena is closed. To be called by what replaces a method of the code
   * under test that rests on that.
   *
   * @throws IllegalStateException if no execution is under way
   * @see Weaving#replacing
   */
  public static void fenceAll() {
    Simulation simulation = running();
    if (simulation == null) {
      throw new IllegalStateException("no execution is under way");
    }
    simulation.fenceAllThreads();
  }

  private void fenceAllThreads() {
    point(false);
    if (threads.contains(memory.current)) {
      memory.fenceAll(threads);
    } else {
      memory.fullFence(); // before the threads begin, or behind their end
    }
  }

  // ---- running ----

  /** The execution under way on this thread of the JVM; null if there is none. */
  static Simulation running() {
    return Carrier.current().running;
  }

  /** Whether the threads have begun, or the end. */
  boolean hasBegun() {
    return hasBegun;
  }

  boolean isRunning() {
    return carrier.running == this;
  }

  /** Runs it to its end, on the thread that made it. */
  void run(Scenario scenario) {
    carrier.running = this;
    try {
      scenario.setUp(this);
      hasBegun = true;
      for (SimulatedThread thread : threads) {
        memory.begin(thread, starter);
        thread.continuation = Coroutine.of(() -> runBody(thread));
      }
      runThreads();
      if (failure == null) {
        for (SimulatedThread thread : threads) {
          memory.learn(starter, thread.view, thread.clock);
        }
        memory.current = starter;
        starter.name = "end";
        atEnd.run();
      }
    } catch (Throwable e) { // whatever fails is a finding
      fail(e);
    } finally {
      store.close();
      carrier.running = null;
    }
  }

  private void runThreads() {
    if (threads.isEmpty()) {
      return;
    }
    int live = threads.size();
    upcoming = threads.get(choices.turn(threads.size()));
    while (live > 0 && failure == null) {
      SimulatedThread thread = upcoming;
      memory.current = thread;
      Coroutine.resume(thread.continuation);
      if (thread.done) {
        live--;
        if (live > 0 && failure == null) {
          pass(thread);
        }
      }
    }
  }

  private void runBody(SimulatedThread thread) {
    try {
      thread.body.run();
    } catch (Throwable e) { // whatever fails is a finding
      fail(e);
    }
    thread.done = true;
  }

  /** Makes a finding, which stays one if the code under test catches it. */
  AssertionError found(String message) {
    AssertionError finding = new AssertionError(message);
    fail(finding);
    return finding;
  }

  /**
   * Fails the execution under way, if there is one, because it does what is not supported: even if
   * the code under test catches the exception, which is to be thrown.
   */
  static UnsupportedOperationException refusal(String message) {
    UnsupportedOperationException refusal = new UnsupportedOperationException(message);
    Simulation simulation = running();
    if (simulation != null) {
      simulation.fail(refusal);
    }
    return refusal;
  }

  private void fail(Throwable e) {
    if (failure == null) {
      failure = e;
    }
  }

  /** Lets another thread go on, the current one having ended or being parked. */
  private void pass(SimulatedThread from) {
    int count = others(from, memory.fresh);
    if (count == 0 && !from.canRun()) {
      count = others(from, true);
    }
    if (count > 0) {
      upcoming = candidates[memory.fresh ? 0 : choices.turn(count)];
    } else if (from.canRun()) {
      upcoming = from;
    } else {
      throw found("deadlock: each thread has ended, is parked for ever, or waits for a lock");
    }
    wake(upcoming);
  }

  /** Who is parked for a time and gets its turn has been parked for that time. */
  private void wake(SimulatedThread thread) {
    thread.isStopped = false;
    if (thread.parkedUntil >= 0 && thread.parkedUntil != SimulatedThread.UNTIL_WOKEN) {
      nanoTime = Math.max(nanoTime, thread.parkedUntil);
      thread.parkedUntil = SimulatedThread.NOT_PARKED;
    }
  }

  /** Counts an access of whatever kind. */
  void count() {
    if (++accesses > ACCESSES_IN_ALL) {
      throw found("livelock: no end within " + ACCESSES_IN_ALL + " accesses");
    }
  }

  /** Collects who else can run, in turn, beginning behind a thread. */
  private int others(SimulatedThread than, boolean stoppedToo) {
    int count = 0;
    int size = threads.size();
    for (int i = 0; i < size - 1; i++) {
      SimulatedThread thread = threads.get((than.id + i) % size);
      if (thread.canRun() && (stoppedToo || !thread.isStopped)) {
        candidates[count++] = thread;
      }
    }
    return count;
  }

  /**
   * A point where the current thread may lose its turn.
   *
   * @param free whether it gives it away
   */
  void point(boolean free) {
    SimulatedThread thread = memory.current;
    if (thread.id == 0) {
      count(); // alone, it may still never end
      return;
    }
    if (failure != null) {
      Coroutine.suspend(); // for good: whatever the code under test does with a finding
    }
    if (thread.isMortal && thread.initializers == 0 && choices.dies()) {
      die(thread);
    }
    if (++steps > STEPS_AT_WILL) {
      memory.fresh = true;
      if (steps > STEPS_IN_ALL) {
        throw found(
            "livelock: no end within "
                + STEPS_IN_ALL
                + " steps, though each thread got its turns and saw what was written");
      }
    }
    boolean stops = thread.isSlow && !memory.fresh && choices.seldom();
    if (!memory.fresh && !stops && !choices.mayPreempt(free)) {
      return;
    }
    int count = others(thread, memory.fresh);
    if (count == 0) {
      return;
    }
    SimulatedThread next;
    if (memory.fresh) {
      next = free || steps % STEPS_OF_A_FAIR_TURN == 0 ? candidates[0] : thread;
    } else {
      thread.isStopped = stops;
      int choice = choices.preemption(count, free || stops);
      next = choice == 0 ? thread : candidates[choice - 1];
    }
    if (next != thread) {
      wake(next);
      upcoming = next;
      Coroutine.suspend();
    }
  }

  /** Ends a thread where it is. What a class initializer began would be missing in later runs. */
  private void die(SimulatedThread thread) {
    if (trace.isOn()) {
      trace.event("dies");
    }
    thread.isDead = true;
    thread.done = true;
    Coroutine.suspend(); // for good
  }

  // ---- what Thread and LockSupport do ----

  SimulatedThread current() {
    return memory.current;
  }

  boolean takeInterrupt() {
    point(false);
    boolean interrupted = memory.current.interrupted;
    memory.current.interrupted = false;
    return interrupted;
  }

  long nanoTime() {
    nanoTime += NANOS_PER_LOOK;
    return nanoTime;
  }

  /** A number that looks like a random one, but is the same in each execution. */
  int nextRandom() {
    randoms++;
    return randoms * GOLDEN_RATIO;
  }

  void park(long nanos) {
    point(false);
    SimulatedThread thread = memory.current;
    if (trace.isOn()) {
      trace.event(thread.permit ? "park returns at once" : "park");
    }
    if (thread.permit || thread.interrupted || choices.seldom() || nanos <= 0) {
      thread.permit = false;
      return;
    }
    boolean isForEver = nanos == SimulatedThread.UNTIL_WOKEN;
    stay(thread, isForEver ? nanos : timeIn(nanos));
    if (trace.isOn()) {
      trace.event("woken");
    }
    thread.permit = false;
  }

  /** What time it will be, or as good as never. */
  long timeIn(long nanos) {
    long time = nanoTime + nanos;
    return time < 0 ? Long.MAX_VALUE - 1 : Math.min(time, Long.MAX_VALUE - 1);
  }

  /** Lets the current thread wait until it is woken, or until a time. */
  private void stay(SimulatedThread thread, long until) {
    if (thread.id == 0) {
      if (until == SimulatedThread.UNTIL_WOKEN) {
        throw found("deadlock: parked while no other thread runs, thread=" + thread.name);
      }
      nanoTime = Math.max(nanoTime, until);
      return;
    }
    thread.parkedUntil = until;
    giveWay(thread);
  }

  /** Runs others until the current thread, which cannot go on, gets its turn again. */
  private void giveWay(SimulatedThread thread) {
    pass(thread);
    if (upcoming != thread) {
      Coroutine.suspend();
    }
  }

  /**
   * Unparks a thread. Its object is taken to be made by its own first step, so that a thread that
   * has got hold of it by a race is found out.
   */
  void unpark(Thread identity) {
    point(false);
    for (SimulatedThread thread : threads) {
      if (thread.identity.equals(identity)) {
        SimulatedThread current = memory.current;
        if (current.clock[thread.id] == 0 && current.id != 0) {
          throw trace.race("use of a thread's object", thread.name, "its thread's first step");
        }
        if (trace.isOn()) {
          trace.event("unpark " + thread.name);
        }
        thread.permit = true;
        thread.parkedUntil = SimulatedThread.NOT_PARKED;
      }
    }
  }

  /**
   * What a pool does for a worker, at its worst: it waits for locks of its own, which uses up a
   * permit, and may then refuse to replace the worker.
   */
  void managedBlock(ForkJoinPool.ManagedBlocker blocker) throws InterruptedException {
    SimulatedThread thread = memory.current;
    boolean isWorker = thread.identity instanceof ForkJoinWorkerThread;
    boolean isDone = false;
    while (!isDone && !blocker.isReleasable()) {
      if (isWorker) {
        point(false);
        thread.permit = false;
        if (choices.turn(2) != 0) {
          throw new RejectedExecutionException("no thread to spare for " + thread.name);
        }
      }
      isDone = blocker.block();
    }
  }

  // ---- monitors and locks ----

  /** The state of an object's monitor, or of a lock. */
  SimulatedLock lockOf(Object object) {
    if (locks == null) {
      locks = new IdentityHashMap<>();
    }
    SimulatedLock lock = locks.get(object);
    if (lock == null) {
      lock = new SimulatedLock(this, object, locks.size());
      locks.put(object, lock);
    }
    return lock;
  }

  /**
   * Lets the current thread wait until a lock may be free.
   *
   * @param isInterruptible whether an interrupt ends it too
   */
  void awaitLock(SimulatedLock lock, boolean isInterruptible) {
    SimulatedThread thread = memory.current;
    if (thread.id == 0) {
      throw found("deadlock: a thread ended without releasing the lock: " + lock.name());
    }
    if (trace.isOn()) {
      trace.event("wait for " + lock.name());
    }
    thread.wanted = lock;
    thread.isInterruptible = isInterruptible;
    giveWay(thread);
    thread.wanted = null;
  }

  /**
   * Lets the current thread wait for a signal of a condition, at most until a time; or goes on at
   * once, for no reason.
   *
   * @param lock that the condition is of
   */
  void rest(SimulatedLock lock, long until) {
    SimulatedThread thread = memory.current;
    if (trace.isOn()) {
      trace.event("await a signal, of " + lock.name());
    }
    if (!choices.seldom()) {
      stay(thread, until);
    }
  }

  /** Chooses one of some threads that wait. */
  int choose(int count) {
    return choices.turn(count);
  }

  // ---- results ----

  Throwable failure() {
    return failure;
  }

  String outcome() {
    return outcome;
  }

  /** Tells one execution from another, by what came out of it and how long it was. */
  long checksum() {
    return 31L * (31L * Objects.hashCode(outcome) + steps) + accesses;
  }

  /** The number of a thread; 0 of the one that sets up. */
  long idOf(Thread identity) {
    for (SimulatedThread thread : threads) {
      if (thread.identity.equals(identity)) {
        return thread.id;
      }
    }
    return 0;
  }

  String nameOf(Thread identity) {
    for (SimulatedThread thread : threads) {
      if (thread.identity.equals(identity)) {
        return thread.name;
      }
    }
    return identity.getName();
  }
}
