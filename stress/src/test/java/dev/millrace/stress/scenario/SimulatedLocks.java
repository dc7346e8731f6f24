package dev.millrace.stress.scenario;

import dev.millrace.queues.internal.shared.Liveness;
import dev.millrace.queues.internal.shared.ProcessId;
import dev.millrace.simulator.Simulation;
import java.util.Arrays;

/**
 * The locks of a file's entries as a kernel has them, and as they may lie. A process is a thread of
 * the simulation. Taking a lock and giving it back orders nothing; only who learns that a process
 * has died sees all that it did.
 */
final class SimulatedLocks {
  private static final int NOBODY = -1;

  private final Simulation run;
  private final String[] processes;

  // arrays of numbers are not shared memory to the simulator: a step between two points is atomic
  private final int[] holders;
  private final boolean[] lost; // locks of which only the holder believes that it has them
  private final int[] asks; // how often each was asked for
  private final boolean[] presumed; // processes that count as ended, whatever they do

  SimulatedLocks(Simulation run, int entries, String... processes) {
    this.run = run;
    this.processes = processes;
    this.holders = new int[entries];
    this.lost = new boolean[entries];
    this.asks = new int[entries];
    this.presumed = new boolean[processes.length];
    Arrays.fill(holders, NOBODY);
  }

  /** Loses the lock of an entry, if somebody has it: as when its process copies the file. */
  void lose(int entry) {
    lost[entry] = holders[entry] != NOBODY;
  }

  /** Takes a process for ended, though it may run: as one of another namespace. */
  void presumeEnded(int process) {
    presumed[process] = true;
  }

  /** How often a process has asked whether the occupant of an entry lives. */
  int asks(int entry) {
    return asks[entry];
  }

  static ProcessId id(int process) {
    return new ProcessId(process + 1, 0, 0, 0, 0, 0);
  }

  /** What a process has of them. */
  Liveness of(int process) {
    return new Own(process);
  }

  boolean isDead(int process) {
    return run.isDead(processes[process]);
  }

  private boolean isHeld(int entry) {
    int holder = holders[entry];
    if (holder == NOBODY || lost[entry]) {
      return false;
    }
    boolean isDead = isDead(holder);
    // other threads may have run since the first check
    return holders[entry] != NOBODY && !lost[entry] && !(isDead && holders[entry] == holder);
  }

  private final class Own implements Liveness {
    private final int self;

    Own(int self) {
      this.self = self;
    }

    @Override
    public boolean isAlive(int entry) {
      asks[entry]++;
      return isHeld(entry);
    }

    @Override
    public boolean tryHold(int entry) {
      if (isHeld(entry)) {
        return false;
      }
      holders[entry] = self;
      lost[entry] = false;
      return true;
    }

    @Override
    public void letGo(int entry) {
      if (holders[entry] == self) {
        holders[entry] = NOBODY;
        lost[entry] = false;
      }
    }

    @Override
    public boolean hasEnded(long ticket) {
      int process = process(ticket);
      return presumed[process] || isDead(process);
    }

    private int process(long ticket) {
      for (int i = 0; i < processes.length; i++) {
        if (id(i).ticket() == ticket) {
          return i;
        }
      }
      throw new AssertionError("no such ticket: " + ticket);
    }
  }
}
