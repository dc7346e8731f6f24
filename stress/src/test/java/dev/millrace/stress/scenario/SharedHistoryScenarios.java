package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.HistoryRingScenarios.PAIRS;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.history.HistorySlots;
import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
import dev.millrace.queues.internal.HistoryAccess;
import dev.millrace.queues.internal.SharedHistory;
import dev.millrace.queues.internal.shared.Burial;
import dev.millrace.queues.internal.shared.Participant;
import dev.millrace.queues.internal.shared.Participants;
import dev.millrace.queues.internal.shared.Role;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.util.List;
import java.util.function.Supplier;

/** A history ring whose memory several processes share. Its producers die, or seem to. */
@ScenariosOf("SharedHistory")
public final class SharedHistoryScenarios extends Steps {
  private static final HistoryAccess ACCESS = HistoryAccess.SECRET.get();
  private static final int PRODUCERS = 4;
  private static final int ENTRY_BYTES = 128;
  private static final int PLACE_BYTES = 128;
  private static final int TRIES = 12;
  private static final int VALUES = 64;

  // what a producer was doing when it was killed
  private static final int RESTS = 0;
  private static final int WORKS = 1; // in a call: its record may be there or not, counted or not
  private static final int HOLDS = 2; // a claim, between two calls

  /** A ring's memory, its producers, and what they have done. */
  private static final class Shared {
    final Simulation run;
    final SimulatedLocks locks;
    private final int capacity;
    private final boolean isSingle;
    private final int reserved; // entries: for the sole producer, readers' places, and naming
    private final NativeMemory table;
    private final NativeMemory memory; // of places, then of the ring
    private final String[] processes;

    // arrays of numbers are not shared memory to the simulator
    final int[] doing;
    final int[] done = new int[1]; // commits that returned, of records that were not refused
    final int[] came = new int[VALUES]; // how often a value came to the reader
    final boolean[] begun = new boolean[VALUES];

    Shared(Simulation run, boolean isSingle, int capacity, String... processes) {
      this(run, isSingle, capacity, 0, processes);
    }

    Shared(Simulation run, boolean isSingle, int capacity, int names, String... processes) {
      this.run = run;
      this.isSingle = isSingle;
      this.capacity = capacity;
      this.processes = processes;
      this.reserved = 2 + names;
      int entries = isSingle ? reserved : reserved + PRODUCERS;
      this.table = NativeMemory.allocate((long) entries * ENTRY_BYTES);
      this.locks = new SimulatedLocks(run, entries, processes);
      long ringBytes = HistorySlots.sizeBytes(capacity, 2 * Long.BYTES);
      this.memory = NativeMemory.allocate((long) names * PLACE_BYTES + ringBytes);
      this.doing = new int[processes.length];
    }

    /** Makes others believe that the first producer has died: its lock, or its process, too. */
    void loseFirst(boolean itsProcess) {
      locks.lose(isSingle ? 0 : reserved);
      if (itsProcess) {
        locks.presumeEnded(0);
      }
    }

    /** What a process has of the ring. */
    HistoryRing<Pair> attach(int process) {
      return ACCESS.attach(
          PAIRS,
          new SharedHistory(
              memory.segment().asSlice(placesBytes()),
              memory.segment().asSlice(0, placesBytes()),
              capacity,
              isSingle,
              burial -> participants(process, burial),
              () -> true,
              "test",
              _ -> false));
    }

    /**
     * Makes others believe that a producer among many and its process, of one number, have ended.
     */
    void lose(int process) {
      locks.lose(reserved + process);
      locks.presumeEnded(process);
    }

    private long placesBytes() {
      return (reserved - 2L) * PLACE_BYTES;
    }

    Participants participants(int process, Burial burial) {
      return new Participants(
          table.segment(), reserved, SimulatedLocks.id(process), locks.of(process), burial, "test");
    }

    HistoryProducer<Pair> producer(HistoryRing<Pair> own) {
      return isSingle ? own.producer() : own.newProducer();
    }

    /** Writes a record; returns whether it was not refused. */
    boolean write(int process, HistoryProducer<Pair> out, int value) {
      doing[process] = WORKS;
      long refused = out.refusedCount();
      Pair pair = out.tryClaim();
      if (pair != null) {
        doing[process] = HOLDS;
        begun[value] = true;
        pair.set(value);
        doing[process] = WORKS;
        out.commit();
      }
      boolean isIn = out.refusedCount() == refused;
      done[0] += isIn ? 1 : 0;
      doing[process] = RESTS;
      return isIn;
    }

    /** Makes a producer and writes some records, all in one process. */
    void produce(int process, int count) {
      doing[process] = WORKS;
      HistoryRing<Pair> own = attach(process);
      HistoryProducer<Pair> out = whenFree(() -> producer(own));
      doing[process] = RESTS;
      for (int i = 0; i < count; i++) {
        write(process, out, 10 * process + 1 + i);
      }
      doing[process] = WORKS;
      out.close();
      doing[process] = RESTS;
    }

    /** Reads all that there is. */
    void readAll(HistoryReader<Pair> reader) {
      for (Pair pair = reader.tryPoll(); pair != null; pair = reader.tryPoll()) {
        int value = (int) pair.whole();
        run.check(begun[value], "never written: " + value);
        run.check(came[value]++ == 0, "came again: " + value);
      }
    }

    /**
     * Checks that what the dead have left was recovered: readers go on, each record is counted
     * once, and every slot takes records again.
     */
    void checkRecovered(int process, HistoryReader<Pair> reader) {
      HistoryRing<Pair> own = attach(process);
      HistoryProducer<Pair> out = producer(own);
      HistoryProducer<Pair> other = isSingle ? out : producer(own);
      readAll(reader);
      // an exchange that fails for no reason delays the recovery
      for (int i = 0; i < TRIES && reader.position() < own.claimedCount(); i++) {
        (isSingle ? out : producer(own)).close();
        readAll(reader);
      }
      run.check(reader.position() == own.claimedCount(), "stopped at " + reader.position());
      long counted = reader.readCount() + reader.lostCount() + reader.refusedCount();
      run.check(counted == own.claimedCount(), "counted " + counted);
      int unsure = 0;
      for (int i = 0; i < processes.length; i++) {
        unsure += locks.isDead(i) && doing[i] == WORKS ? 1 : 0;
      }
      checkWithin(
          run, done[0], own.claimedCount() - own.refusedCount(), done[0] + unsure, "not refused:");
      for (int i = 0; i < 2 * capacity; i++) {
        run.check(write(process, i % 2 == 0 ? out : other, 50 + i), "a slot is out of use");
      }
      readAll(reader);
      run.check(reader.sequence() == own.claimedCount() - 1, "not the last one read");
    }
  }

  /** Takes a seat as soon as it is free. */
  private static <T> T whenFree(Supplier<T> attempt) {
    while (true) {
      try {
        return attempt.get();
      } catch (IllegalStateException e) {
        Thread.onSpinWait();
      }
    }
  }

  // ---- producers die ----

  private static void writersDie(Simulation run, int capacity, boolean secondDies) {
    Shared shared = new Shared(run, false, capacity, "first", "second", "last");
    HistoryReader<Pair> reader = shared.attach(2).newReader(1);
    run.mortalThread("first", () -> shared.produce(0, 2));
    if (secondDies) {
      run.mortalThread("second", () -> shared.produce(1, 2));
    } else {
      run.thread("second", () -> shared.produce(1, 2));
    }
    run.thread("last", times(2, () -> shared.readAll(reader)));
    run.atEnd(() -> shared.checkRecovered(2, reader));
  }

  @About("what a writer had claimed that died anywhere is refused once, and its slot used again")
  public void writerDies(Simulation run) {
    writersDie(run, 2, false);
  }

  @About("the same where writers lap each other in one slot")
  public void lappedWriterDies(Simulation run) {
    writersDie(run, 1, false);
  }

  @About("the same where two of them die, one perhaps while it recovers what the other left")
  public void writersDie(Simulation run) {
    writersDie(run, 1, true);
  }

  @About("a writer that lives keeps its claim, even if others that die had announced the same slot")
  public void livingWriterKeepsItsClaim(Simulation run) {
    Shared shared = new Shared(run, false, 1, "mortal", "living", "burier");
    HistoryReader<Pair> reader = shared.attach(2).newReader(1);
    run.mortalThread("mortal", () -> shared.produce(0, 2));
    run.thread("living", () -> shared.produce(1, 2));
    run.thread("burier", times(2, () -> shared.producer(shared.attach(2)).close()));
    run.atEnd(() -> shared.checkRecovered(2, reader));
  }

  @About("a claim that finds its slot in use has it recovered from the dead")
  public void claimFindsTheDead(Simulation run) {
    Shared shared = new Shared(run, false, 1, "first", "second", "other");
    HistoryProducer<Pair> out = shared.attach(2).newProducer();
    run.mortalThread("first", () -> shared.produce(0, 2));
    run.mortalThread("second", () -> shared.produce(1, 2));
    run.thread("other", () -> shared.write(2, out, 21), () -> shared.write(2, out, 22));
    run.atEnd(
        () -> {
          boolean isIn = false;
          for (int i = 0; i < TRIES && !isIn; i++) {
            isIn = shared.write(2, out, 23 + i);
          }
          run.check(isIn, "the slot is out of use");
        });
  }

  @About("the only writer that died is followed by another, and readers do not stop where it did")
  public void soleWriterDies(Simulation run) {
    Shared shared = new Shared(run, true, 2, "first", "second", "reader");
    HistoryReader<Pair> reader = shared.attach(2).newReader(1);
    run.mortalThread("first", () -> shared.produce(0, 2));
    run.mortalThread("second", () -> shared.produce(1, 2));
    run.thread("reader", times(2, () -> shared.readAll(reader)));
    run.atEnd(() -> shared.checkRecovered(2, reader));
  }

  // ---- producers that leave ----

  private static void closeAbandonsClaims(Simulation run, boolean isSingle) {
    Shared shared = new Shared(run, isSingle, 1, "closer", "other", "reader");
    HistoryReader<Pair> reader = shared.attach(2).newReader(1);
    HistoryRing<Pair> own = shared.attach(0);
    HistoryProducer<Pair> out = shared.producer(own);
    run.check(out.tryClaim() != null, "refused");
    run.thread("closer", own::close);
    run.thread("other", () -> shared.produce(1, 3));
    run.thread("reader", () -> shared.readAll(reader));
    run.atEnd(() -> shared.checkRecovered(2, reader));
  }

  @About("a process that closes a ring with a claim open gives it up, and others use its slot")
  public void closeAbandonsClaims(Simulation run) {
    closeAbandonsClaims(run, false);
  }

  @About("the same where the producer is the only one")
  public void closeAbandonsTheSoleClaim(Simulation run) {
    closeAbandonsClaims(run, true);
  }

  // ---- wrong verdicts ----

  /** Writes a record with a ring and a producer of its own, if there is a place for one. */
  private static boolean writesAlone(Shared shared, int value) {
    try (HistoryRing<Pair> own = shared.attach(1)) {
      return !refuses(() -> shared.write(1, shared.producer(own), value));
    }
  }

  private static void fenced(Simulation run, boolean isSingle, int capacity) {
    Shared shared = new Shared(run, isSingle, capacity, "fenced", "other", "judge");
    HistoryReader<Pair> reader = shared.attach(2).newReader(1);
    HistoryRing<Pair> own = shared.attach(0);
    HistoryProducer<Pair> out = shared.producer(own);
    Numbered write =
        i -> {
          if (refuses(() -> shared.write(0, out, 1 + i))) {
            out.close();
            boolean _ = refuses(() -> shared.write(0, out, 1 + i));
          }
        };
    run.thread("fenced", () -> write.run(0), () -> write.run(1), out::close);
    run.thread(
        "other",
        () -> {
          for (int i = 0; i < TRIES; i++) {
            if (writesAlone(shared, 11 + i) && i > 0) {
              return;
            }
          }
        });
    run.thread(
        "judge",
        () -> {
          shared.loseFirst(false);
          HistoryRing<Pair> ring = shared.attach(2);
          boolean _ = refuses(() -> shared.producer(ring).close());
        });
    run.atEnd(
        () -> {
          HistoryRing<Pair> last = shared.attach(2);
          shared.producer(last).close();
          shared.readAll(reader);
          run.check(reader.position() == last.claimedCount(), "stopped at " + reader.position());
          HistoryProducer<Pair> next = shared.producer(last);
          for (int i = 0; i < 2 * capacity; i++) {
            run.check(shared.write(2, next, 50 + i), "a slot is out of use");
          }
          shared.readAll(reader);
        });
  }

  @About("a writer that is taken for dead though it lives is told so, and harms no other")
  public void fenced(Simulation run) {
    fenced(run, false, 1);
  }

  @About("the same where it is the only one")
  public void soleIsFenced(Simulation run) {
    fenced(run, true, 2);
  }

  /** Even if its process counts as ended, as one in another namespace. */
  @About("a writer that was recovered though it lives does not commit, and harms no other")
  public void lateCommit(Simulation run) {
    Shared shared = new Shared(run, false, 1, "late", "other", "third");
    HistoryReader<Pair> reader = shared.attach(2).newReader(1);
    HistoryProducer<Pair> late = shared.attach(0).newProducer();
    Pair pair = late.tryClaim();
    pair.set(1);
    shared.begun[1] = true;
    int[] outcome = new int[1];
    run.thread(
        "late",
        () -> {
          long refused = late.refusedCount();
          if (!refuses(late::commit)) {
            outcome[0] = late.refusedCount() == refused ? 1 : 2;
          }
        });
    run.thread(
        "other",
        () -> {
          HistoryRing<Pair> own = shared.attach(1);
          shared.loseFirst(true);
          HistoryProducer<Pair> out = own.newProducer();
          for (int i = 0; i < 2; i++) {
            shared.write(1, out, 10 + i); // throws if the late one has touched its claim
          }
          out.close();
        });
    run.thread(
        "third",
        () -> {
          HistoryProducer<Pair> out = shared.attach(2).newProducer();
          shared.write(2, out, 20);
          shared.write(2, out, 21);
          out.close();
        });
    run.atEnd(
        () -> {
          shared.done[0] += outcome[0] == 1 ? 1 : 0;
          shared.checkRecovered(2, reader);
        });
  }

  /** Waits for a step of another thread, without seeing what that did. */
  private static void await(int[] steps, int step) {
    while (steps[0] < step) {
      Thread.onSpinWait();
    }
  }

  /**
   * The verdict over the late one may come late in the burial of another that had announced the
   * same sequence. Those that have the slot afterwards learn of it from the slot alone.
   */
  @About("the same where others have the slot by then, and have lapped each other")
  public void lateCommitMeetsALap(Simulation run) {
    Shared shared = new Shared(run, false, 1, "late", "dead", "other", "third", "burier");
    HistoryReader<Pair> reader = shared.attach(2).newReader(1);
    int[] steps = new int[1]; // not shared memory to the simulator
    HistoryProducer<Pair> late = shared.attach(0).newProducer();
    run.thread(
        "late",
        () -> await(steps, 3),
        () -> run.check(refuses(late::commit), "committed though it was recovered"),
        () -> steps[0] = 4);
    run.thread("dead", () -> {});
    Participant dead = shared.participants(1, null).enter(Role.PRODUCER, "dead");
    run.check(dead.declare(0, 1), "fenced");
    late.tryClaim().set(1);
    HistoryProducer<Pair> other = shared.attach(2).newProducer();
    run.thread(
        "other",
        () -> {
          shared.loseFirst(true);
          await(steps, 1);
          Pair pair = other.tryClaim();
          for (int i = 0; i < TRIES && pair == null; i++) { // exchanges may fail for no reason
            pair = other.tryClaim();
          }
          run.check(pair != null, "the slot is in use");
          shared.begun[11] = true;
          pair.set(11);
          steps[0] = 2;
          await(steps, 4);
          other.commit(); // throws if the late one has touched its claim
        });
    HistoryProducer<Pair> third = shared.attach(3).newProducer();
    run.thread(
        "third",
        () -> await(steps, 2),
        () -> run.check(third.tryClaim() == null, "two are in the slot"),
        () -> steps[0] = 3);
    run.check(third.tryClaim() == null, "two are in the slot");
    shared.lose(1);
    run.thread(
        "burier",
        () -> {
          HistoryRing<Pair> own = shared.attach(4);
          boolean _ = refuses(() -> own.newProducer().close());
          steps[0] = 1;
        });
    run.atEnd(() -> shared.readAll(reader));
  }

  @About("of two that had announced a sequence, the one that has it keeps it when the other dies")
  public void sequenceStaysWithItsTaker(Simulation run) {
    Shared shared = new Shared(run, false, 1, "dead", "taker", "burier");
    HistoryReader<Pair> reader = shared.attach(2).newReader(1);
    Participant dead = shared.participants(0, null).enter(Role.PRODUCER, "dead");
    run.check(dead.declare(0, 1), "fenced");
    run.thread("dead", () -> {});
    HistoryProducer<Pair> taker = shared.attach(1).newProducer();
    shared.loseFirst(true);
    HistoryRing<Pair> burier = shared.attach(2); // now, so that it is soon where it can err
    run.thread("taker", () -> run.check(shared.write(1, taker, 11), "refused"));
    run.thread("burier", () -> burier.newProducer().close());
    run.atEnd(() -> shared.checkRecovered(2, reader));
  }

  // ---- named readers ----

  // of one length, and different in the last word
  private static final String NAME = "reader-of-trades";
  private static final String OTHER_NAME = "reader-of-quotes";

  /** What the readers of one name have done, in whatever processes. */
  private static final class Named {
    private static final int NOBODY = -1;

    final Shared shared;

    // arrays of numbers are not shared memory to the simulator
    private final int[] occupant = {NOBODY};
    private final long[] released = {NOBODY, NOBODY}; // surely, perhaps

    Named(Shared shared) {
      this.shared = shared;
    }

    /** Reads some records and releases each, unless another process has the name. */
    void read(int process, int polls) {
      HistoryRing<Pair> own = shared.attach(process);
      HistoryReader<Pair> reader;
      try {
        reader = own.newReader(1, NAME);
      } catch (IllegalStateException e) {
        return;
      }
      int other = occupant[0];
      shared.run.check(other == NOBODY || shared.locks.isDead(other), "two have the name");
      occupant[0] = process;
      begin(reader);
      for (int i = 0; i < polls; i++) {
        if (reader.tryPoll() != null) {
          released[1] = reader.position();
          reader.release();
          released[0] = released[1];
        }
      }
      occupant[0] = NOBODY;
      reader.close();
    }

    private void begin(HistoryReader<Pair> reader) {
      long begun = reader.position();
      boolean isFirst = released[0] == NOBODY;
      shared.run.check(
          isFirst || begun == released[0] || begun == released[1], "began at " + begun);
      released[0] = begun;
      released[1] = begun;
    }

    /** Checks that the name is free, whichever reader died, and in one place only. */
    void checkFree(int process) {
      HistoryRing<Pair> own = shared.attach(process);
      HistoryReader<Pair> reader = own.newReader(1, NAME);
      begin(reader);
      shared.run.check(own.releasedBy(NAME) == reader.position(), "another position");
      shared.run.check(refuses(() -> own.newReader(1, NAME)), "two have the name");
      reader.close();
    }
  }

  @About("a reader that died is followed by one of its name, which goes on where it released")
  public void namedReaderDies(Simulation run) {
    Shared shared = new Shared(run, false, 2, 1, "writer", "first", "second");
    Named named = new Named(shared);
    run.thread("writer", () -> shared.produce(0, 3));
    run.mortalThread("first", () -> named.read(1, 2));
    run.thread("second", times(2, () -> named.read(2, 2)));
    run.atEnd(() -> named.checkFree(2));
  }

  @About("of those that come with one new name one has it, even if another died while it wrote it")
  public void newNameIsInOnePlace(Simulation run) {
    Shared shared = new Shared(run, false, 1, 2, "first", "second", "other");
    Named named = new Named(shared);
    run.mortalThread("first", () -> named.read(0, 0));
    run.thread("second", () -> named.read(1, 0));
    run.thread("other", () -> shared.attach(2).newReader(1, OTHER_NAME).close());
    run.atEnd(
        () -> {
          named.checkFree(1);
          HistoryRing<Pair> own = shared.attach(2);
          run.check(own.releasedBy(OTHER_NAME) == 0, "the other name is not there");
          run.check(own.releasedBy("no-name") < 0, "no such name");
          run.check(refuses(() -> own.newReader(1, "third")), "there is room for two names");
        });
  }

  @About(
      "any process sees where a named reader is, which is never ahead of the claims that it sees")
  public void positionIsSeenByAll(Simulation run) {
    Shared shared = new Shared(run, false, 1, 1, "writer", "other", "reader", "observer");
    run.thread("writer", () -> shared.produce(0, 2));
    run.thread("other", () -> shared.produce(1, 2));
    run.thread(
        "reader",
        () -> {
          HistoryReader<Pair> reader = shared.attach(2).newReader(1, NAME);
          for (int i = 0; i < TRIES; i++) {
            var _ = reader.tryPoll();
            reader.release();
          }
        });
    HistoryRing<Pair> observer = shared.attach(3);
    long[] seen = {-1};
    run.thread(
        "observer",
        times(
            TRIES,
            () -> {
              long next = observer.releasedBy(NAME); // throws if it is ahead of the claims
              run.check(next >= seen[0], "goes back");
              seen[0] = next;
            }));
  }

  /** Its first word differs from that of the other names, and its last one is that of a name. */
  private static final String THIRD_NAME = "writer-of-trades";

  @About("a name that is removed while others ask for it is gone, and its place has one name only")
  public void nameIsRemoved(Simulation run) {
    Shared shared = new Shared(run, false, 2, 1, "remover", "other", "observer");
    HistoryProducer<Pair> out = shared.attach(0).newProducer();
    for (int i = 0; i < 2; i++) {
      run.check(shared.write(0, out, 1 + i), "refused");
    }
    HistoryReader<Pair> first = shared.attach(0).newReader(1, OTHER_NAME);
    first.tryPoll();
    first.release();
    first.close();
    run.thread(
        "remover",
        () -> {
          HistoryRing<Pair> own = shared.attach(0);
          run.check(own.removeReader(OTHER_NAME), "it was not there");
          run.check(own.releasedBy(OTHER_NAME) < 0, "it is there");
        });
    run.thread(
        "other",
        () ->
            whenFree(
                () -> {
                  HistoryReader<Pair> reader = shared.attach(1).newReader(1, THIRD_NAME);
                  run.check(reader.position() == 0, "it has the position of another name");
                  reader.close();
                  return reader;
                }));
    HistoryRing<Pair> observer = shared.attach(2);
    run.thread(
        "observer",
        times(
            4,
            () -> {
              long released = observer.releasedBy(OTHER_NAME);
              run.check(released == 1 || released == -1, "position of another name: " + released);
              long third = observer.releasedBy(THIRD_NAME);
              run.check(third == 0 || third == -1, "position of another name: " + third);
            }));
    run.atEnd(
        () ->
            run.check(
                shared.attach(2).readerNames().equals(List.of(THIRD_NAME)), "not the only name"));
  }

  @About("names that are listed while a place gets another name are not made of both")
  public void namesAreWhole(Simulation run) {
    Shared shared = new Shared(run, false, 1, 1, "renamer", "observer");
    HistoryRing<Pair> own = shared.attach(0);
    own.newReader(1, OTHER_NAME).close();
    run.thread(
        "renamer",
        () -> {
          run.check(own.removeReader(OTHER_NAME), "it was not there");
          own.newReader(1, THIRD_NAME).close();
        });
    HistoryRing<Pair> observer = shared.attach(1);
    run.thread(
        "observer",
        times(
            4,
            () -> {
              for (String name : observer.readerNames()) {
                run.check(
                    name.equals(OTHER_NAME) || name.equals(THIRD_NAME), "no such name: " + name);
              }
            }));
  }

  @About("the position of a name is not that of the next name in its place")
  public void positionIsOfItsName(Simulation run) {
    Shared shared = new Shared(run, false, 2, 1, "renamer", "observer");
    HistoryRing<Pair> own = shared.attach(0);
    HistoryProducer<Pair> out = own.newProducer();
    HistoryReader<Pair> first = own.newReader(1, OTHER_NAME);
    run.check(shared.write(0, out, 1), "refused");
    run.check(first.tryPoll() != null, "nothing there");
    first.release();
    first.close();
    run.thread(
        "renamer",
        () -> {
          run.check(own.removeReader(OTHER_NAME), "it was not there");
          own.newReader(1, THIRD_NAME).close();
        });
    HistoryRing<Pair> observer = shared.attach(1);
    run.thread(
        "observer",
        times(
            6,
            () -> {
              long released = observer.releasedBy(OTHER_NAME);
              run.check(released == 1 || released == -1, "that of another name: " + released);
            }));
  }

  @About("a remover that dies leaves the name or not, and those that come with it have one place")
  public void removerDies(Simulation run) {
    Shared shared = new Shared(run, false, 1, 2, "remover", "second", "third");
    Named named = new Named(shared);
    shared.attach(0).newReader(1, NAME).close();
    run.mortalThread(
        "remover",
        () -> {
          boolean _ = refuses(() -> shared.attach(0).removeReader(NAME));
        });
    run.thread("second", () -> named.read(1, 0));
    run.thread("third", () -> named.read(2, 0));
    run.atEnd(
        () -> {
          named.checkFree(1);
          HistoryRing<Pair> own = shared.attach(2);
          run.check(own.readerNames().equals(List.of(NAME)), "not in one place");
          own.newReader(1, OTHER_NAME).close();
          run.check(own.removeReader(NAME), "it is not there");
          run.check(own.readerNames().equals(List.of(OTHER_NAME)), "not removed");
        });
  }
}
