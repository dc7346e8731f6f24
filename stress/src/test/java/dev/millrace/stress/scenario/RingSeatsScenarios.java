package dev.millrace.stress.scenario;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.ring.Claimers.Fate;
import dev.millrace.queues.internal.RingPeers.Burial;
import dev.millrace.queues.internal.RingPeers.Seat;
import dev.millrace.queues.internal.shared.Participants;
import dev.millrace.queues.internal.shared.RingSeats;
import dev.millrace.queues.internal.shared.Role;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** The seats of a ring without the ring: what is announced, and when the dead are searched for. */
@ScenariosOf("RingSeats")
public final class RingSeatsScenarios extends Steps {
  private static final int RESERVED = 2;
  private static final int ENTRIES = 5;
  private static final int ENTRY_BYTES = 128;
  private static final long SLOTS = 8;
  private static final long PATIENCE_NANOS = 1_000;
  private static final int CALLS = 40;

  private static final Burial TRIVIAL = (_, _, _, _, _) -> true;

  private final NativeMemory table = NativeMemory.allocate((long) ENTRIES * ENTRY_BYTES);

  private RingSeats of(SimulatedLocks locks, int process, Burial burial) {
    return new RingSeats(
        recovery ->
            new Participants(
                table.segment(),
                RESERVED,
                SimulatedLocks.id(process),
                locks.of(process),
                recovery,
                "test"),
        burial,
        SLOTS,
        PATIENCE_NANOS);
  }

  @About("the dead are searched for once in a while, and a thread that buries one learns of it")
  public void searchesOnceInAWhile(Simulation run) {
    SimulatedLocks locks = new SimulatedLocks(run, ENTRIES, "dead", "living");
    of(locks, 0, TRIVIAL).enter(Role.PRODUCER, false);
    RingSeats seats = of(locks, 1, TRIVIAL);
    seats.enter(Role.PRODUCER, false);
    locks.lose(RESERVED);
    locks.presumeEnded(0);
    run.thread(
        "living",
        () -> {
          long begun = System.nanoTime();
          int buried = 0;
          for (int i = 0; i < 5 * CALLS; i++) {
            buried += seats.buryDead() ? 1 : 0;
          }
          long passed = System.nanoTime() - begun;
          run.check(buried == 1, "buried " + buried);
          int searches = locks.asks(RESERVED + 1); // that came as far as to the living one
          checkWithin(run, 5, searches, 2 + passed / PATIENCE_NANOS, "searches");
        });
  }

  @About("heirs search once in a while, but again at once after one has inherited a seat")
  public void searchesAgainAfterInheriting(Simulation run) {
    SimulatedLocks locks = new SimulatedLocks(run, ENTRIES, "dead", "heir");
    Seat dead = of(locks, 0, TRIVIAL).enter(Role.CONSUMER, false);
    RingSeats seats = of(locks, 1, (_, _, _, _, _) -> false);
    dead.declare(3, 5);
    dead.confirm();
    locks.lose(RESERVED - 1);
    locks.presumeEnded(0);
    run.thread(
        "heir",
        () -> {
          run.check(seats.isInheritingDue(), "no search at first");
          run.check(!seats.isInheritingDue(), "a search just after another one");
          Seat heir = null;
          for (int tries = 0; heir == null && tries < CALLS; tries++) {
            heir = seats.tryInherit(Role.CONSUMER); // may fail for no reason
          }
          run.check(heir != null && heir.claimed() == 3, "not inherited");
          run.check(seats.isInheritingDue(), "no search though there may be more to inherit");
        });
  }

  @About("what a seat has announced and confirmed is what its burial recovers")
  public void burialKnowsTheClaim(Simulation run) {
    SimulatedLocks locks = new SimulatedLocks(run, ENTRIES, "dying", "burier");
    long[] steps = new long[1]; // 1 announced, 2 confirmed, 3 withdrawn: at least so far
    RingSeats seats =
        of(
            locks,
            1,
            (_, _, first, end, wasMade) -> {
              run.check(first < 0 || (first == 3 && end == 5), "claim of " + first + " to " + end);
              run.check(first < 0 || steps[0] < 3, "announced though withdrawn");
              run.check(first >= 0 || steps[0] == 0 || steps[0] >= 2, "not announced");
              run.check(first < 0 || !wasMade || steps[0] > 0, "confirmed before it was announced");
              run.check(first < 0 || wasMade || steps[0] < 2, "not confirmed");
              return true;
            });
    run.mortalThread(
        "dying",
        () -> {
          Seat seat = of(locks, 0, TRIVIAL).enter(Role.PRODUCER, false);
          run.check(seat.claimed() < 0, "has a claim");
          seat.declare(3, 5);
          steps[0] = 1;
          run.check(seat.claimed() < 0, "has made a claim");
          seat.confirm();
          steps[0] = 2;
          run.check(seat.claimed() == 3, "claim at " + seat.claimed());
          seat.withdraw();
          steps[0] = 3;
          run.check(seat.claimed() < 0, "still has a claim");
        });
    run.thread("burier", times(CALLS, seats::buryDead));
  }

  @About("a seat that was shut out is refused a claim, and announces none")
  public void shutOutIsRefused(Simulation run) {
    SimulatedLocks locks = new SimulatedLocks(run, ENTRIES, "fenced", "judge");
    Seat seat = of(locks, 0, TRIVIAL).enter(Role.PRODUCER, false);
    RingSeats seats = of(locks, 1, TRIVIAL);
    run.thread("fenced", () -> refuses(() -> seat.declare(3, 5)));
    run.thread("judge", () -> locks.lose(RESERVED), times(3 * CALLS, seats::buryDead));
    run.atEnd(
        () -> {
          run.check(refuses(seat::check), "not shut out");
          run.check(refuses(() -> seat.declare(4, 6)), "a claim though shut out");
          run.check(seat.claimed() < 0, "has a claim");
          run.check(seats.fateOf(4, false) == Fate.UNKNOWN, "announces a claim");
        });
  }

  @About("a claim is claimed again if another seat announces its slot in a later turn")
  public void laterTurnsAreFound(Simulation run) {
    SimulatedLocks locks = new SimulatedLocks(run, ENTRIES, "claimer", "observer");
    Seat seat = of(locks, 0, TRIVIAL).enter(Role.PRODUCER, false);
    RingSeats seats = of(locks, 1, TRIVIAL);
    Flag announced = new Flag();
    run.thread(
        "claimer",
        () -> {
          seat.declare(2 * SLOTS + 3, 2 * SLOTS + 4);
          announced.raise();
        });
    run.thread(
        "observer",
        announced::await,
        () -> {
          run.check(seats.isClaimedAgain(3), "is claimed in the turn after the next");
          run.check(seats.isClaimedAgain(SLOTS + 3), "is claimed in the next turn");
          run.check(!seats.isClaimedAgain(2 * SLOTS + 3), "is the claim itself");
          run.check(!seats.isClaimedAgain(3 * SLOTS + 3), "was claimed in an earlier turn");
          run.check(!seats.isClaimedAgain(2), "another slot");
          run.check(seats.fateOf(2 * SLOTS + 3, false) == Fate.LIVE, "is not announced");
          run.check(seats.fateOf(2 * SLOTS + 3, true) == Fate.UNKNOWN, "is not confirmed");
        });
    run.atEnd(
        () -> {
          seat.declare(SLOTS, SLOTS); // what skips slots that are out of use
          run.check(!seats.isClaimedAgain(0), "nothing is announced");
        });
  }
}
