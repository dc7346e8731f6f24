package dev.millrace.simulator.listings;

import dev.millrace.simulator.Simulation;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * What all listings share: a ring of two slots, and how far its publishers and consumers are. An
 * event's content is its number.
 */
class Ring {
  static final int SIZE = 2;

  /** The last number that a publisher has claimed. */
  volatile long claimed = -1;

  /** The last number that consumers are finished with. */
  volatile long finished = -1;

  final Simulation run;
  private final List<Slot> slots = List.of(new Slot(), new Slot());

  Ring(Simulation run) {
    this.run = run;
  }

  Slot slot(long sequence) {
    return slots.get((int) (sequence & (SIZE - 1)));
  }

  /** In which lap around the ring an event is, counted from 0. */
  int lap(long sequence) {
    return (int) (sequence / SIZE);
  }

  /** Writes an event and publishes it. */
  void put(long sequence) {
    slot(sequence).event = sequence;
    slot(sequence).setLap(lap(sequence));
  }

  boolean isPublished(long sequence) {
    return slot(sequence).lap() == lap(sequence);
  }

  /** Reads an event. */
  void take(long sequence) {
    long event = slot(sequence).event;
    run.check(event == sequence, "event " + event + " was read in place of event " + sequence);
  }

  /** Whether a slot's former event is finished. */
  boolean isFree(long sequence) {
    return sequence - SIZE <= finished;
  }

  long claimAny() {
    return (long) CLAIMED.getAndAdd(this, 1L) + 1;
  }

  /** Publishes events 0 and 1, for a scenario to begin with a full ring. */
  void fill() {
    put(0);
    put(1);
    claimed = 1;
  }

  /** The lap is a field because the simulator supports no handles of elements of an int array. */
  static final class Slot {
    private static final VarHandle LAP =
        ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "lap", VarHandle.class, Slot.class, int.class);

    long event = -1;
    boolean isParsed;

    @SuppressWarnings("unused") // through its handle
    private int lap = -1;

    private void setLap(int to) {
      LAP.setRelease(this, to);
    }

    private int lap() {
      return (int) LAP.getAcquire(this);
    }
  }

  static final VarHandle CLAIMED =
      ConstantBootstraps.fieldVarHandle(
          MethodHandles.lookup(), "claimed", VarHandle.class, Ring.class, long.class);
  static final VarHandle FINISHED =
      ConstantBootstraps.fieldVarHandle(
          MethodHandles.lookup(), "finished", VarHandle.class, Ring.class, long.class);
}
