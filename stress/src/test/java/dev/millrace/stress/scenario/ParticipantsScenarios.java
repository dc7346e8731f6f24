package dev.millrace.stress.scenario;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.ring.Claimers.Fate;
import dev.millrace.queues.internal.shared.Burial;
import dev.millrace.queues.internal.shared.Magic;
import dev.millrace.queues.internal.shared.Participant;
import dev.millrace.queues.internal.shared.Participants;
import dev.millrace.queues.internal.shared.Role;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.lang.foreign.MemorySegment;

/** Participants of a ring that processes share. They die, or are only taken for dead. */
@ScenariosOf("Participants")
public final class ParticipantsScenarios extends Steps {
  private static final int ENTRY_BYTES = 128;
  private static final int TRIES = 12;
  private static final long INTENT = 5;

  /** A table, what its processes do in the ring, and how often the ring was recovered. */
  private static final class Table {
    final Simulation run;
    final SimulatedLocks locks;
    private final MemorySegment memory;
    private final int reserved;

    /** What the sole occupant of an entry does: plain, as only one may be in at a time. */
    private long work;

    private final Sequence step = new Sequence(); // where a thread may die or lose its turn

    // arrays of numbers are not shared memory to the simulator
    final int[] burier = {-1};
    final int[] burials = new int[1];
    final int[] failures = new int[1]; // how many burials are to fail yet
    final boolean[] sawIntent = new boolean[1];

    Table(Simulation run, int entries, int reserved, String... processes) {
      this.run = run;
      this.locks = new SimulatedLocks(run, entries, processes);
      this.memory = NativeMemory.allocate((long) entries * ENTRY_BYTES).segment();
      this.reserved = reserved;
    }

    Participants of(int process) {
      Participants[] own = new Participants[1];
      Burial burial = (entry, _) -> recover(process, own[0], entry);
      own[0] =
          new Participants(
              memory, reserved, SimulatedLocks.id(process), locks.of(process), burial, "test");
      return own[0];
    }

    private boolean recover(int process, Participants own, int entry) {
      int other = burier[0];
      run.check(other < 0 || locks.isDead(other), "two bury at once");
      burier[0] = process;
      sawIntent[0] |= own.intent(entry) == INTENT;
      work();
      boolean isRecovered = failures[0]-- <= 0;
      burials[0] += isRecovered ? 1 : 0;
      burier[0] = -1;
      return isRecovered;
    }

    /** Works as if alone. */
    void work() {
      long before = work;
      step.setOpaque(step.getOpaque() + 1);
      work = before + 1;
    }

    long worked() {
      return work;
    }
  }

  /** Enters the only entry once it is free; null if it is not freed in time. */
  private static Participant enter(Participants own, String name) {
    for (int tries = 0; tries < TRIES; tries++) {
      Participant entered = tryEnter(own, name);
      if (entered != null) {
        return entered;
      }
      Thread.onSpinWait();
    }
    return null;
  }

  private static Participant tryEnter(Participants own, String name) {
    try {
      return own.enter(Role.PRODUCER, name);
    } catch (IllegalStateException e) {
      return null;
    }
  }

  @About("an entry has one occupant at a time, which sees what the former ones did")
  public void oneAtATime(Simulation run) {
    Table table = new Table(run, 1, 0, "participant 0", "participant 1", "participant 2");
    int[] entered = new int[1];
    threads(
        run,
        3,
        "participant",
        i -> {
          Participants own = table.of(i);
          Participant participant = enter(own, "name");
          if (participant != null) {
            table.work();
            entered[0]++;
            run.check(!participant.isFenced(), "fenced");
            participant.leave();
          }
        });
    run.atEnd(
        () -> run.check(table.worked() == entered[0], "work was lost"),
        () -> run.check(table.burials[0] == 0, "buried " + table.burials[0]),
        () -> run.check(tryEnter(table.of(0), "last") != null, "the entry is lost"));
  }

  /** Adds a participant that may die, and those that bury it, one of which does not die. */
  private static void deaths(Simulation run, int failures) {
    Table table = new Table(run, 1, 0, "mortal", "burier", "last");
    table.failures[0] = failures;
    int[] states = new int[2]; // of the mortal: whether it has entered, and left
    run.mortalThread(
        "mortal",
        () -> {
          Participants own = table.of(0);
          Participant participant = enter(own, "mortal");
          if (participant != null) {
            table.work();
            participant.leave();
          }
        });
    run.mortalThread(
        "burier",
        () -> {
          Participants own = table.of(1);
          own.buryDead();
          Participant participant = enter(own, "burier");
          if (participant != null) {
            table.work();
            participant.leave();
          }
        });
    run.thread(
        "last",
        () -> {
          Participants own = table.of(2);
          Participant participant = null;
          while (participant == null) {
            participant = tryEnter(own, "last");
            Thread.onSpinWait();
          }
          table.work();
          states[0] = 1;
          participant.leave();
        });
    run.atEnd(
        () -> run.check(states[0] == 1, "the last one could not enter"),
        () -> run.check(enter(table.of(2), "next") != null, "the entry is lost"));
  }

  @About(
      "a participant that dies at any access is buried by one at a time, and its entry is used"
          + " again")
  public void deadAreBuried(Simulation run) {
    deaths(run, 0);
  }

  @About("a burial that fails is run again, and sees what the former run did")
  public void burialIsRunAgain(Simulation run) {
    deaths(run, 1);
  }

  // ---- locks that are lost ----

  /** Announces a claim, and then works as if alone. */
  private static void claimAndWork(Table table, int process) {
    Participant participant = tryEnter(table.of(process), "claimer");
    if (participant != null && participant.declare(INTENT, INTENT + 2)) {
      participant.confirm(INTENT + 2);
      table.work();
    }
  }

  /** Takes the only entry over, if its occupant is dead, and works in its place. */
  private static void inherit(Table table, int process, int[] works) {
    Participants own = table.of(process);
    for (int tries = 0; tries < TRIES; tries++) {
      Participant heir = own.tryInherit(Role.PRODUCER, "heir " + process);
      if (heir != null) {
        table.work();
        works[0]++;
        table.run.check(own.intent(0) == INTENT, "another claim: " + own.intent(0));
        table.run.check(own.intentEnd(0) == INTENT + 2, "it ends at " + own.intentEnd(0));
        table.run.check(own.isConfirmed(0), "not confirmed");
        String shown = own.describe(0);
        table.run.check(shown.contains("heir " + process), "not the heir: " + shown);
        heir.abandon();
      }
    }
  }

  @About("the place of a dead participant that cannot be buried has one heir at a time")
  public void deadAreInherited(Simulation run) {
    Table table = new Table(run, 1, 0, "dead", "mortal heir", "heir", "last");
    table.failures[0] = Integer.MAX_VALUE;
    int[] works = new int[1];
    run.mortalThread("dead", () -> Thread.onSpinWait());
    run.mortalThread("mortal heir", () -> inherit(table, 1, new int[1]));
    run.thread("heir", () -> inherit(table, 2, works));
    claimAndWork(table, 0);
    run.atEnd(
        () -> {
          if (run.isDead("dead")) {
            inherit(table, 3, works);
            run.check(works[0] > 0, "none inherits");
            run.check(table.worked() >= works[0] + 1, "work was lost");
          }
        });
  }

  @About("an heir that ends what it inherited frees the place, and announces nothing more")
  public void heirFreesThePlace(Simulation run) {
    Table table = new Table(run, 1, 0, "dead", "heir", "next");
    table.failures[0] = 1;
    run.mortalThread("dead", () -> Thread.onSpinWait());
    run.thread(
        "heir",
        () -> {
          Participant heir = table.of(1).tryInherit(Role.PRODUCER, "heir");
          if (heir != null) {
            table.work();
            heir.withdraw();
            heir.leave();
          }
        });
    run.thread(
        "next",
        () -> {
          Participants own = table.of(2);
          Participant next = enter(own, "next");
          if (next != null) {
            table.work();
            run.check(own.intent(0) < 0, "announces " + own.intent(0));
            next.leave();
          }
        });
    claimAndWork(table, 0);
    run.atEnd(
        () -> {
          if (run.isDead("dead")) {
            run.check(enter(table.of(2), "last") != null, "the entry is lost");
          }
        });
  }

  @About("a claim that was made is confirmed for a participant that has died, and no other one is")
  public void claimIsConfirmedForTheDead(Simulation run) {
    Table table = new Table(run, 1, 0, "claimer", "other", "third");
    Sequence made = new Sequence(); // the end of the last claim: such as a queue's head
    Participants own = table.of(0);
    Participant claimer = tryEnter(own, "claimer");
    run.mortalThread(
        "claimer",
        () -> {
          for (long end = 1; end < 4; end++) {
            boolean _ = claimer.declare(end - 1, end);
            made.setRelease(end);
            claimer.confirm(end);
            claimer.withdraw();
          }
        });
    Sequence passed = new Sequence();
    run.thread(
        "other",
        times(
            3,
            () -> {
              long end = made.getAcquire();
              if (end > 0) {
                table.of(1).confirmFor(0, end);
                passed.setRelease(end);
              }
            }));
    run.thread(
        "third",
        times(
            3,
            () -> {
              Participants third = table.of(2);
              long end = passed.getAcquire();
              boolean isConfirmed = third.isConfirmed(0);
              boolean isNext = third.intentEnd(0) > end;
              run.check(end == 0 || isConfirmed || isNext, "not confirmed: " + end);
            }));
    run.atEnd(
        () -> {
          long end = own.intentEnd(0);
          run.check(!own.isConfirmed(0) || made.getAcquire() >= end, "confirmed though not made");
        });
  }

  @About("a participant that loses its lock keeps its entry until it leaves, and buries itself")
  public void fencedKeepsItsEntry(Simulation run) {
    Table table = new Table(run, 1, 0, "fenced", "other", "third");
    boolean[] wasFenced = new boolean[1];
    run.thread(
        "fenced",
        () -> {
          Participants own = table.of(0);
          Participant participant = enter(own, "fenced");
          if (participant != null) {
            table.work();
            table.work();
            wasFenced[0] = participant.isFenced();
            participant.leave();
          }
        });
    run.thread(
        "other",
        () -> {
          Participants own = table.of(1);
          table.locks.lose(0);
          own.buryDead();
          Participant participant = enter(own, "other");
          if (participant != null) {
            table.work();
            participant.leave();
          }
        });
    run.thread(
        "third",
        () -> {
          Participants own = table.of(2);
          table.locks.lose(0);
          own.buryDead();
        });
    run.atEnd(
        () -> run.check(!wasFenced[0] || table.burials[0] > 0, "fenced, but not buried"),
        () -> run.check(tryEnter(table.of(1), "last") != null, "the entry is lost"));
  }

  /** Even if its process counts as ended: then it must not begin what no burial recovers. */
  @About("a claim is announced to the burial of its participant, or is not made")
  public void claimIsAnnounced(Simulation run) {
    Table table = new Table(run, 1, 0, "fenced", "other");
    Participant participant = table.of(0).enter(Role.PRODUCER, "fenced");
    boolean[] claims = new boolean[1];
    run.thread("fenced", () -> claims[0] = participant.declare(INTENT, INTENT + 1));
    run.thread(
        "other",
        () -> {
          Participants own = table.of(1);
          table.locks.lose(0);
          table.locks.presumeEnded(0);
          while (own.buryDead() == 0) { // a judgement may fail for no reason
            Thread.onSpinWait();
          }
        });
    run.atEnd(() -> run.check(!claims[0] || table.sawIntent[0], "a claim that no burial recovers"));
  }

  @About("of a participant that leaves and is judged at once, one comes to pass")
  public void leavesOrIsJudged(Simulation run) {
    Table table = new Table(run, 2, 0, "leaver", "judge");
    Participant participant = table.of(0).enter(Role.PRODUCER, "leaver");
    run.check(participant.declare(INTENT, INTENT + 1), "fenced");
    Fate[] fates = new Fate[1];
    run.thread("leaver", participant::leave);
    run.thread(
        "judge",
        () -> {
          table.locks.lose(0);
          fates[0] = table.of(1).fateOf(INTENT, false);
        });
    run.atEnd(
        () -> {
          boolean isJudged = fates[0] == Fate.FENCED || fates[0] == Fate.DEAD;
          run.check(isJudged == (table.burials[0] == 1), fates[0] + ", " + table.burials[0]);
        },
        () -> run.check(table.of(1).describe(0) == null, "is left: " + table.of(1).describe(0)),
        () -> run.check(tryEnter(table.of(1), "next").entry() == 0, "the entry is lost"));
  }

  // ---- announcements ----

  @About("what was announced and is no longer has ended, and who looks sees how")
  public void withdrawnHasEnded(Simulation run) {
    Table table = new Table(run, 1, 0, "producer", "observer");
    Participant participant = table.of(0).enter(Role.PRODUCER, "producer");
    Flag announced = new Flag();
    run.thread(
        "producer",
        () -> participant.declare(INTENT, INTENT + 1),
        announced::raise,
        table::work,
        participant::withdraw);
    run.thread(
        "observer",
        announced::await,
        () -> {
          Fate fate = table.of(1).fateOf(INTENT, false);
          run.check(
              fate == Fate.LIVE || (fate == Fate.UNKNOWN && table.worked() == 1), "is " + fate);
        });
    run.atEnd(
        () ->
            run.check(table.of(1).fateOf(INTENT, false) == Fate.UNKNOWN, "is announced for ever"));
  }

  @About("what is buried announces nothing, even if the burial was cut short")
  public void buriedAnnounceNothing(Simulation run) {
    Table table = new Table(run, 1, 0, "dead", "burier", "last");
    Participant participant = table.of(0).enter(Role.PRODUCER, "dead");
    run.check(participant.declare(INTENT, INTENT + 1), "fenced");
    table.locks.lose(0);
    table.locks.presumeEnded(0);
    run.mortalThread("burier", () -> table.of(1).buryDead());
    run.atEnd(
        () -> {
          Participants own = table.of(2);
          for (int tries = 0; tries < TRIES; tries++) { // a judgement may fail for no reason
            own.buryDead();
          }
          run.check(!own.isAnnounced(sequence -> sequence == INTENT, -1), "is announced for ever");
        });
  }

  @About("one announcement is never mixed with another of the same participant")
  public void announcementsAreWhole(Simulation run) {
    Table table = new Table(run, 1, 0, "producer", "observer");
    Participant participant = table.of(0).enter(Role.PRODUCER, "producer");
    run.check(participant.declare(1, 3), "fenced");
    run.thread("producer", () -> participant.declare(6, 9), () -> participant.declare(7, 8));
    run.thread(
        "observer",
        times(
            2,
            () -> {
              Participants own = table.of(1);
              run.check(own.fateOf(4, false) == Fate.UNKNOWN, "4 was never announced");
              if (own.fateOf(1, false) == Fate.UNKNOWN && own.fateOf(6, false) == Fate.UNKNOWN) {
                // the first was withdrawn; so is the second, or it is not there yet
                boolean isLast =
                    own.fateOf(7, false) == Fate.LIVE && own.fateOf(6, false) == Fate.UNKNOWN;
                run.check(!isLast || own.fateOf(8, false) == Fate.UNKNOWN, "8 was withdrawn");
              }
            }));
    run.atEnd(
        () -> run.check(table.of(1).fateOf(7, false) == Fate.LIVE, "7 is announced"),
        () -> run.check(table.of(1).fateOf(8, false) == Fate.UNKNOWN, "8 is not"));
  }

  @About("one announcement is never mixed with another one that was confirmed")
  public void confirmedAreWhole(Simulation run) {
    Table table = new Table(run, 1, 0, "producer", "observer");
    Participant participant = table.of(0).enter(Role.PRODUCER, "producer");
    run.check(participant.declare(1, 3), "fenced");
    participant.confirm(3);
    run.thread("producer", () -> participant.declare(6, 9), () -> participant.confirm(9));
    run.thread(
        "observer",
        times(
            3,
            () -> {
              Participants own = table.of(1);
              run.check(own.fateOf(4, true) == Fate.UNKNOWN, "4 was never announced");
              run.check(
                  own.fateOf(7, true) == Fate.UNKNOWN || own.fateOf(7, false) == Fate.LIVE,
                  "confirmed, not announced");
            }));
    run.atEnd(
        () -> run.check(table.of(1).fateOf(8, true) == Fate.LIVE, "8 is confirmed"),
        () -> run.check(table.of(1).fateOf(1, false) == Fate.UNKNOWN, "1 is not announced"));
  }

  @About("of several that announce a claim, one that is dead counts before one that lives")
  public void deadAnnouncerCounts(Simulation run) {
    Table table = new Table(run, 2, 0, "living", "fenced", "observer");
    run.check(table.of(0).enter(Role.PRODUCER, "living").declare(INTENT, INTENT + 1), "fenced");
    Participant fenced = table.of(1).enter(Role.PRODUCER, "fenced");
    run.thread("living", () -> table.locks.lose(1));
    run.thread("fenced", () -> fenced.declare(INTENT, INTENT + 1));
    run.thread(
        "observer",
        () -> {
          Fate fate = table.of(2).fateOf(INTENT, false);
          run.check(fate == Fate.LIVE || fate == Fate.FENCED, "is " + fate);
        });
    run.atEnd(
        () -> {
          Participants own = table.of(2);
          Fate fate = Fate.LIVE;
          for (int i = 0; i < TRIES && fate == Fate.LIVE; i++) {
            fate = own.fateOf(INTENT, false); // a judgement may fail for no reason
          }
          run.check(fate == Fate.FENCED, "is " + fate);
        });
  }

  @About("what is announced and not confirmed is no claim that was made")
  public void announcedIsNotConfirmed(Simulation run) {
    Table table = new Table(run, 1, 0, "producer", "observer");
    Participant participant = table.of(0).enter(Role.PRODUCER, "producer");
    boolean[] isMade = new boolean[1];
    run.thread(
        "producer",
        () -> participant.declare(INTENT, INTENT + 1),
        () -> isMade[0] = true,
        () -> participant.confirm(INTENT + 1));
    run.thread(
        "observer",
        times(
            2,
            () -> {
              Participants own = table.of(1);
              run.check(
                  own.fateOf(INTENT, true) == Fate.UNKNOWN || isMade[0], "confirmed too early");
            }));
    run.atEnd(() -> run.check(table.of(1).fateOf(INTENT, true) == Fate.LIVE, "not confirmed"));
  }

  @About("who enters is shown with its name, and announces nothing of a former occupant")
  public void nextOccupantIsNew(Simulation run) {
    Table table = new Table(run, 1, 0, "first", "second", "observer");
    Participants first = table.of(0);
    Participant former = first.enter(Role.PRODUCER, "first");
    run.check(former.declare(INTENT, INTENT + 1), "fenced");
    run.thread("first", former::leave);
    run.thread(
        "second",
        () -> {
          Participants own = table.of(1);
          for (int tries = 0; tries < TRIES; tries++) {
            try {
              own.enter(Role.CONSUMER, "second");
              return;
            } catch (IllegalStateException e) {
              Thread.onSpinWait(); // the first one is there yet
            }
          }
        });
    run.thread(
        "observer",
        times(
            2,
            () -> {
              Participants own = table.of(2);
              String shown = own.describe(0);
              Fate fate = own.fateOf(INTENT, false);
              if (shown != null && shown.startsWith("consumer")) {
                run.check(shown.contains("\"second\""), "is " + shown);
                run.check(fate == Fate.UNKNOWN, "announces what it never did");
              }
            }));
  }

  @About("a process that finds a file complete finds all of it")
  public void completeIsWhole(Simulation run) {
    MemorySegment file = NativeMemory.allocate(ENTRY_BYTES).segment();
    publishes(run, () -> Magic.write(file), () -> Magic.read(file) == Magic.COMPLETE);
    run.atEnd(() -> run.check(Magic.read(file) == Magic.COMPLETE, "is not complete"));
  }
}
