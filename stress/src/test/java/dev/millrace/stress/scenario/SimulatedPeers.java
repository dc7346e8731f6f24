package dev.millrace.stress.scenario;

import dev.millrace.core.Sequence;
import dev.millrace.queues.internal.RingPeers;
import dev.millrace.queues.internal.shared.Role;
import dev.millrace.simulator.Simulation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The seats of a ring that several processes share, without a file. A process is a thread of the
 * simulation, by its name: it is gone if the simulation has killed it, and another may take its
 * seat only then. Whoever takes a seat, gives it up or buries its owner is ordered with all others
 * that do, and with nothing else.
 */
final class SimulatedPeers {
  /** The process of what is no thread of its own. */
  static final String SETUP = "setup";

  private static final int NOBODY = -1;

  private final Simulation run;
  private final Sequence order = new Sequence();

  // in an array of numbers and a list, which are not shared memory to the simulator: a step between
  // two accesses to it is atomic
  private final List<String> processes = new ArrayList<>();
  private final List<String> ended = new ArrayList<>();
  private final int[] holder = new int[2];
  private final int[] burier = new int[holder.length];
  private final int[] seats = new int[holder.length]; // how many there were
  private final int[] fenced = new int[holder.length]; // the last seat that was shut out

  SimulatedPeers(Simulation run) {
    this.run = run;
    Arrays.fill(holder, NOBODY);
    Arrays.fill(burier, NOBODY);
  }

  /** Makes the view that a process has, which is a thread of this name, or no thread at all. */
  RingPeers of(String process, RingPeers.Burial burial) {
    processes.add(process);
    return new Peers(processes.size() - 1, burial);
  }

  /** Says that a process has ended, which is no thread that may die. */
  void end(String process) {
    ended.add(process);
  }

  /** Takes whoever has a seat for dead, rightly or not. */
  void fence(Role role) {
    fenced[index(role)] = seats[index(role)];
  }

  private static int index(Role role) {
    return role == Role.PRODUCER ? 0 : 1;
  }

  private void meet() {
    order.getAndAdd(1);
  }

  private final class Peers implements RingPeers {
    private final int self;

    private final Burial burial;

    Peers(int self, Burial burial) {
      this.self = self;
      this.burial = burial;
    }

    private boolean isGone(int process) {
      String name = processes.get(process);
      return ended.contains(name) || (!name.equals(SETUP) && run.isDead(name));
    }

    @Override
    public Seat enter(Role role, boolean isSole) {
      int index = index(role);
      meet();
      buryIfGone(role);
      meet();
      if (holder[index] != NOBODY || burier[index] != NOBODY) {
        throw new IllegalStateException("seat is taken by " + holder[index]);
      }
      holder[index] = self;
      return new TakenSeat(role, ++seats[index], burial);
    }

    @Override
    public Fate fateOf(long sequence, boolean isMarked) {
      throw new UnsupportedOperationException("claims of many");
    }

    @Override
    public boolean isInheritingDue() {
      throw new UnsupportedOperationException("consumers that share");
    }

    @Override
    public Seat tryInherit(Role role) {
      throw new UnsupportedOperationException("consumers that share");
    }

    @Override
    public boolean isConfirmed(int number) {
      throw new UnsupportedOperationException("consumers that share");
    }

    @Override
    public void confirmFor(int number, long end) {
      throw new UnsupportedOperationException("consumers that share");
    }

    @Override
    public boolean isClaimedAgain(long sequence) {
      throw new UnsupportedOperationException("claims of many");
    }

    @Override
    public long patienceNanos() {
      throw new UnsupportedOperationException("claims of many");
    }

    @Override
    public boolean buryDead() {
      meet();
      boolean buried = false;
      for (Role role : Role.values()) {
        buried |= buryIfGone(role);
      }
      meet();
      return buried;
    }

    private boolean buryIfGone(Role role) {
      int index = index(role);
      int dead = holder[index];
      int other = burier[index];
      if (dead == NOBODY || !isGone(dead) || (other != NOBODY && !isGone(other))) {
        return false;
      }
      if (holder[index] != dead || burier[index] != other) {
        return false; // another thread was faster
      }
      burier[index] = self;
      run.check(burial.recover(role, index, -1, -1, false), "not recovered");
      meet();
      holder[index] = NOBODY;
      burier[index] = NOBODY;
      return true;
    }
  }

  private final class TakenSeat implements RingPeers.Seat {
    private final Role whose;
    private final int role;
    private final int number;
    private final RingPeers.Burial burial;

    TakenSeat(Role whose, int number, RingPeers.Burial burial) {
      this.whose = whose;
      this.role = index(whose);
      this.number = number;
      this.burial = burial;
    }

    @Override
    public void check() {
      if (fenced[role] == number) {
        throw new IllegalStateException("shut out");
      }
      if (seats[role] != number || holder[role] == NOBODY) {
        throw new IllegalStateException("left");
      }
    }

    @Override
    public void declare(long first, long end) {
      throw new UnsupportedOperationException("claims of many");
    }

    @Override
    public void confirm() {
      throw new UnsupportedOperationException("claims of many");
    }

    @Override
    public void withdraw() {
      throw new UnsupportedOperationException("claims of many");
    }

    @Override
    public int number() {
      return role;
    }

    @Override
    public long claimed() {
      return -1;
    }

    @Override
    public long claimedEnd() {
      return -1;
    }

    @Override
    public void leave() {
      meet();
      if (seats[role] == number) {
        holder[role] = NOBODY;
      }
    }

    @Override
    public void abandon() {
      run.check(burial.recover(whose, role, -1, -1, false), "not recovered");
      leave();
    }
  }
}
