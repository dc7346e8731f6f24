package dev.millrace.simulator;

import java.util.List;

/**
 * What reads may see and what races, for one execution.
 *
 * <p>Threads hold views, as in Kang et al., <a href="https://doi.org/10.1145/3009837.3009850">A
 * Promising Semantics for Relaxed-Memory Concurrency</a> (2017), without promises; volatile
 * accesses and full fences follow Bender and Palsberg, <a href="https://doi.org/10.1145/3360568">A
 * Formalization of Java's Concurrent Access Modes</a> (2019); the race detector is that of Flanagan
 * and Freund, <a href="https://doi.org/10.1145/1542476.1542490">FastTrack</a> (2009).
 */
final class MemoryModel {
  /*
   * Two things are kept apart. A thread's view constrains which values it may read; its clock says
   * what happens before it, and decides about races. A release and the acquire that reads it hand on
   * both. What is globally ordered, full fences and volatile accesses, hands on the view alone: that
   * order constrains values and is no happens-before edge.
   *
   *   access      view and clock                                        value
   *   plain       none; racing ones are a failure                       the last that happens before
   *   opaque      reads collect what an acquire fence will join         any not older than the view
   *   acquire     joins those of the message read                       the same
   *   release     the message carries the thread's                      placed behind any such
   *   volatile    both; besides, what was before the thread's last      not older than what was
   *               volatile access is globally ordered until its next    globally ordered then
   *   speculative as opaque, and races with nothing: for reads that are validated afterwards
   *
   * The thread that sets up, which also is the one that checks in the end, is a thread as others
   * are, but that it runs alone: all know what it has set up, and it knows all that they did.
   */

  // the bits of a mode
  static final int ATOMIC = 1;
  static final int ACQUIRE = 2;
  static final int RELEASE = 4;
  static final int VOLATILE = 8;
  static final int SPECULATIVE = 16;

  static final int PLAIN = 0;
  static final int VOLATILE_READ = ATOMIC | ACQUIRE | VOLATILE;
  static final int VOLATILE_WRITE = ATOMIC | RELEASE | VOLATILE;
  static final int ALL_OF_VOLATILE = VOLATILE_READ | VOLATILE_WRITE;

  /** How many threads a scenario may have, with the one that sets it up. */
  static final int MAX_THREADS = 6;

  private final Choices choices;
  private final Trace trace;
  private int locations;
  private long[] ordered = Views.NO_VIEW;

  /** The thread whose access this is. */
  SimulatedThread current;

  /** Whether a weak compare-and-set may fail though the value is the expected one. */
  boolean weakFails;

  /** Whether reads see the newest message, to find out whether the threads get to an end. */
  boolean fresh;

  MemoryModel(Choices choices, Trace trace) {
    this.choices = choices;
    this.trace = trace;
  }

  // ---- plain ----

  void plainRead(Location location) {
    SimulatedThread reader = current;
    int[] clock = reader.clock;
    if (location.plainWriteClock > clock[location.plainWriter]) {
      throw trace.race("plain read", location, "plain write", location.plainWriteOrigin);
    }
    if (isAhead(location.atomicWrites, clock)) {
      throw trace.race("plain read", location, "atomic write", location.atomicOrigin);
    }
    int now = clock[reader.id];
    if (location.plainReads != null) {
      location.plainReads[reader.id] = now;
    } else if (location.plainReader == reader.id
        || location.plainReadClock <= clock[location.plainReader]) {
      location.plainReader = reader.id;
      location.plainReadClock = now;
    } else {
      location.plainReads = new int[MAX_THREADS];
      location.plainReads[location.plainReader] = location.plainReadClock;
      location.plainReads[reader.id] = now;
    }
    if (trace.isOn()) {
      location.plainReadOrigin = trace.origin();
    }
  }

  private void plainWrite(Location location) {
    SimulatedThread writer = current;
    int[] clock = writer.clock;
    checkAgainstPlain("plain write", location, clock);
    if (isAhead(location.atomicReads, clock) || isAhead(location.atomicWrites, clock)) {
      throw trace.race("plain write", location, "atomic access", location.atomicOrigin);
    }
    location.plainWriter = writer.id;
    location.plainWriteClock = clock[writer.id];
    if (trace.isOn()) {
      location.plainWriteOrigin = trace.origin();
    }
  }

  private void checkAgainstPlain(String access, Location location, int[] clock) {
    if (location.plainWriteClock > clock[location.plainWriter]) {
      throw trace.race(access, location, "plain write", location.plainWriteOrigin);
    }
    if (location.plainReadClock > clock[location.plainReader]
        || isAhead(location.plainReads, clock)) {
      throw trace.race(access, location, "plain read", location.plainReadOrigin);
    }
  }

  private static boolean isAhead(int[] accesses, int[] clock) {
    if (accesses != null) {
      for (int i = 0; i < accesses.length; i++) {
        if (accesses[i] > clock[i]) {
          return true;
        }
      }
    }
    return false;
  }

  long plainBits(Location location) {
    if (location.parts != null) {
      long whole = 0;
      for (Location part : location.parts) {
        whole |= location.placed(part, plainBits(part));
      }
      return whole;
    }
    plainRead(location);
    long bits = location.newest == null ? location.bits : location.newest.bits;
    if (trace.isOn()) {
      trace.plain("get", location, bits, null);
    }
    return bits;
  }

  Object plainReference(Location location) {
    plainRead(location);
    Object reference = location.newestReference();
    if (trace.isOn()) {
      trace.plain("get", location, 0, reference);
    }
    return reference;
  }

  void plainWrite(Location location, long bits, Object reference) {
    if (location.parts != null) {
      for (Location part : location.parts) {
        plainWrite(part, location.bitsOf(part, bits), null);
      }
      return;
    }
    plainWrite(location);
    if (location.newest == null) {
      // What is written before the threads begin all know: it needs no history. What is written in
      // the end does, if there is one, or the last of the threads' writes would count as newest.
      if (location.keepsHistory && (current.id != 0 || location.plainWrites != null)) {
        keep(location, bits, reference);
      }
      location.bits = bits;
      location.reference = reference;
    } else {
      append(location, location.newest, PLAIN, bits, reference, null);
    }
    if (trace.isOn()) {
      trace.plain("set", location, bits, reference);
    }
  }

  /** Keeps what a plain variable was: a speculative read that comes later may see it. */
  private void keep(Location location, long bits, Object reference) {
    Message former = location.plainWrites;
    if (former == null) {
      former = new Message(0, location.bits, location.reference, false);
    }
    Message message = new Message(Message.timestampBehind(former), bits, reference, false);
    message.follow(former);
    message.view = current.fenceView;
    message.clock = current.fenceClock;
    message.plainWriter = current.id;
    message.plainWriteClock = current.clock[current.id];
    if (trace.isOn()) {
      message.origin = trace.origin();
    }
    location.plainWrites = message;
  }

  // ---- atomic ----

  /** Reads; the mode must be atomic or speculative. */
  Message read(String operation, Location location, int fullMode) {
    int mode = weaken(fullMode);
    atomize(location);
    SimulatedThread reader = current;
    if ((mode & SPECULATIVE) == 0) {
      beginAtomic(operation, location, mode);
      recordRead(location, reader);
    }
    Message message = choose(location, false);
    seeLast(location, message, mode);
    if (trace.isOn()) {
      trace.read(operation, location, message);
    }
    return message;
  }

  void write(String operation, Location location, int fullMode, long bits, Object reference) {
    int mode = weaken(fullMode);
    atomize(location);
    beginAtomic(operation, location, mode);
    checkAgainstPlain(operation, location, current.clock);
    recordWrite(location);
    Message message = append(location, choose(location, true), mode, bits, reference, null);
    if (trace.isOn()) {
      trace.write(operation, location, message);
    }
  }

  /**
   * Begins a read-modify-write by its read, to be followed by {@link #modify}, unless the value is
   * not the expected one.
   */
  Message readToModify(String operation, Location location, int mode) {
    if (current.splitsUpdate) {
      return read("getVolatile", location, VOLATILE_READ);
    }
    atomize(location);
    beginAtomic(operation, location, mode);
    recordRead(location, current);
    return choose(location, true);
  }

  /** A compare-and-set or -exchange that found another value is a read. */
  void declineToModify(String operation, Location location, Message message, int mode) {
    if (current.splitsUpdate) {
      current.splitsUpdate = false;
      return;
    }
    seeLast(location, message, mode);
    if (trace.isOn()) {
      trace.read(operation, location, message);
    }
  }

  boolean failsForNoReason() {
    return weakFails && !fresh && !current.splitsUpdate && choices.seldom();
  }

  void modify(
      String operation, Location location, Message read, int mode, long bits, Object reference) {
    if (current.splitsUpdate) {
      current.splitsUpdate = false;
      location.simulation.count();
      location.simulation.point(false);
      write("setVolatile", location, VOLATILE_WRITE, bits, reference);
      return;
    }
    checkAgainstPlain(operation, location, current.clock);
    see(location, read, mode);
    recordWrite(location);
    Message message = append(location, read, mode, bits, reference, read);
    if (trace.isOn()) {
      trace.modify(operation, location, read, message);
    }
  }

  /** Takes from an access what a planted bug wants it to be done without. */
  int weaken(int mode) {
    int weakened = mode & (current.weakening | SPECULATIVE);
    current.weakening = ALL_OF_VOLATILE;
    return weakened;
  }

  /** Makes what was a plain variable one with messages. */
  private void atomize(Location location) {
    if (location.newest == null) {
      location.index = locations++;
      location.newest = location.plainWrites;
      if (location.newest == null) {
        location.newest = new Message(0, location.bits, location.reference, false);
        location.newest.origin = location.plainWriteOrigin;
      }
    }
  }

  private void beginAtomic(String operation, Location location, int mode) {
    SimulatedThread thread = current;
    if ((mode & VOLATILE) != 0) {
      order(thread, location, mode);
    }
    if (location.plainWriteClock > thread.clock[location.plainWriter]) {
      throw trace.race(operation, location, "plain write", location.plainWriteOrigin);
    }
  }

  /**
   * Two volatile accesses of a thread are ordered for all, as if a full fence were between. Where
   * between is open: what is weaker there may be executed before the fence or after it.
   */
  private void order(SimulatedThread thread, Location location, int mode) {
    if (thread.pushed == null) {
      return; // a fence with no volatile access before it would order nothing
    }
    if (thread.fenced == null) {
      fence(thread);
    }
    if ((mode & ACQUIRE) != 0) {
      thread.view = Views.join(thread.view, thread.fenced);
    } else {
      long oldest = Views.at(thread.fenced, location.index);
      thread.view = Views.raise(thread.view, location.index, oldest);
    }
    thread.pushed = null;
  }

  private void fence(SimulatedThread thread) {
    ordered = Views.join(ordered, thread.pushed);
    thread.fenced = ordered.clone();
  }

  /** Notes what a volatile access hands on to the fence behind it, which may follow at once. */
  private void push(SimulatedThread thread, long[] view) {
    thread.pushed = view;
    thread.fenced = null;
    if (!fresh && (Views.covers(ordered, view) || choices.message(2) == 1)) {
      fence(thread);
    }
  }

  private void recordRead(Location location, SimulatedThread reader) {
    if (location.atomicReads == null) {
      location.atomicReads = new int[MAX_THREADS];
    }
    location.atomicReads[reader.id] = reader.clock[reader.id];
    if (trace.isOn()) {
      location.atomicOrigin = trace.origin();
    }
  }

  private void recordWrite(Location location) {
    if (location.atomicWrites == null) {
      location.atomicWrites = new int[MAX_THREADS];
    }
    location.atomicWrites[current.id] = current.clock[current.id];
    if (trace.isOn()) {
      location.atomicOrigin = trace.origin();
    }
  }

  /** Chooses a message to read or, if to write, one that another may be put behind. */
  private Message choose(Location location, boolean toWrite) {
    if (fresh) {
      return location.newest;
    }
    long oldest = Views.at(current.view, location.index);
    int count = 1;
    for (Message m = location.newest; m.timestamp > oldest && !m.isBefore(current.clock); ) {
      m = m.older;
      if (!toWrite || !m.newer.glued) {
        count++;
      }
    }
    if (count == 1) {
      return location.newest;
    }
    int choice = choices.message(count);
    Message message = location.newest;
    while (choice > 0) {
      message = message.older;
      if (!toWrite || !message.newer.glued) {
        choice--;
      }
    }
    return message;
  }

  private void see(Location location, Message message, int mode) {
    SimulatedThread reader = current;
    reader.view = Views.raise(reader.view, location.index, message.timestamp);
    if (message.view != null) {
      if ((mode & ACQUIRE) != 0) {
        reader.view = Views.join(reader.view, message.view);
        Views.join(reader.clock, message.clock);
      } else {
        reader.pendingView = Views.join(reader.pendingView, message.view);
        if (reader.pendingClock == null) {
          reader.pendingClock = new int[MAX_THREADS];
        }
        Views.join(reader.pendingClock, message.clock);
      }
    }
  }

  /** Sees a message by an access that writes none. */
  private void seeLast(Location location, Message message, int mode) {
    see(location, message, mode);
    if ((mode & VOLATILE) != 0) {
      long[] seen = Views.raise(Views.NO_VIEW, location.index, message.timestamp);
      push(current, Views.join(seen, message.view));
    }
  }

  private Message append(
      Location location, Message behind, int mode, long bits, Object reference, Message read) {
    SimulatedThread writer = current;
    Message message = new Message(Message.timestampBehind(behind), bits, reference, read != null);
    message.follow(behind);
    if (message.newer == null) {
      location.newest = message;
    }
    writer.view = Views.raise(writer.view, location.index, message.timestamp);
    if ((mode & RELEASE) != 0) {
      message.view = writer.view.clone();
      message.clock = writer.clock.clone();
      writer.clock[writer.id]++;
    } else if (writer.fenceView != null) {
      message.view = writer.fenceView;
      message.clock = writer.fenceClock;
    }
    if (read != null && read.view != null) { // a read-modify-write continues a release sequence
      message.view = message.view == null ? read.view : Views.join(message.view.clone(), read.view);
      message.clock = message.clock == null ? read.clock.clone() : message.clock.clone();
      Views.join(message.clock, read.clock);
    }
    if ((mode & VOLATILE) != 0) {
      push(writer, writer.view.clone());
    }
    if (trace.isOn()) {
      message.origin = trace.origin();
    }
    return message;
  }

  // ---- fences ----

  void acquireFence() {
    SimulatedThread thread = current;
    thread.view = Views.join(thread.view, thread.pendingView);
    Views.join(thread.clock, thread.pendingClock);
    if (trace.isOn()) {
      trace.event("acquireFence");
    }
  }

  void releaseFence() {
    SimulatedThread thread = current;
    thread.fenceView = thread.view.clone();
    thread.fenceClock = thread.clock.clone();
    thread.clock[thread.id]++;
    if (trace.isOn()) {
      trace.event("releaseFence");
    }
  }

  void fullFence() {
    SimulatedThread thread = current;
    thread.view = Views.join(thread.view, thread.pendingView);
    Views.join(thread.clock, thread.pendingClock);
    ordered = Views.join(ordered, thread.view);
    thread.view = Views.join(thread.view, ordered);
    thread.fenceView = thread.view.clone();
    thread.fenceClock = thread.clock.clone();
    thread.clock[thread.id]++;
    if (trace.isOn()) {
      trace.event("fullFence");
    }
  }

  /** A full fence in each of the threads, at one moment between two accesses of theirs. */
  void fenceAll(List<SimulatedThread> threads) {
    SimulatedThread caller = current;
    for (int i = 0; i < 2; i++) { // once to tell the others, once to hear of them
      for (SimulatedThread thread : threads) {
        current = thread;
        fullFence();
      }
    }
    current = caller;
  }

  // ---- threads ----

  /** What a started thread knows: all that its starter does. */
  void begin(SimulatedThread thread, SimulatedThread starter) {
    thread.view = starter.view.clone();
    thread.clock = starter.clock.clone();
    thread.clock[thread.id] = 1;
  }

  /** Lets a thread know all that another does, as joining it, or by another means of the JVM. */
  void learn(SimulatedThread thread, long[] view, int[] clock) {
    thread.view = Views.join(thread.view, view);
    Views.join(thread.clock, clock);
  }
}
