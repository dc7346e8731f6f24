package dev.millrace.stress.scenario;

import dev.millrace.queues.HistoryRing;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** Writers that overwrite, readers that are overtaken. */
@ScenariosOf("HistoryRing")
public final class HistoryRingScenarios {
  private HistoryRingScenarios() {}

  @About("a reader that is overtaken sees whole records in order, or counts them as lost")
  public static void readerIsOvertaken(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.of(2, Pair::new);
    HistoryRing.Reader<Pair> reader = ring.newReader(1);
    addOvertakenReader(run, ring, reader);
    run.atEnd(() -> account(run, ring, reader));
  }

  /** One thread writes five records, another reads four times. */
  static void addOvertakenReader(
      Simulation run, HistoryRing<Pair> ring, HistoryRing.Reader<Pair> reader) {
    run.thread(
        "writer",
        () -> {
          Pair pair = ring.newFlyweight();
          for (int i = 1; i <= 5; i++) {
            run.check(write(ring, pair, i), "refused though alone");
          }
        });
    run.thread(
        "reader",
        () -> {
          long last = 0;
          for (int i = 0; i < 4; i++) {
            last = readOne(run, reader, last);
          }
        });
  }

  @About("the newest records are read whole and in a row, however often they are overwritten")
  public static void latestIsRead(Simulation run) {
    readLatestBeside(run, HistoryRing.of(3, Pair::new));
  }

  /** One thread writes six records, another reads the newest three times. */
  static void readLatestBeside(Simulation run, HistoryRing<Pair> ring) {
    HistoryRing.Reader<Pair> reader = ring.newReader(3);
    run.thread(
        "writer",
        () -> {
          Pair pair = ring.newFlyweight();
          for (int i = 1; i <= 6; i++) {
            write(ring, pair, i);
          }
        });
    run.thread(
        "reader",
        () -> {
          long seen = 0;
          for (int i = 0; i < 3; i++) {
            seen = readRow(run, reader, seen);
          }
        });
    run.atEnd(
        () -> {
          run.check(reader.readLatest(3) == 3, "not all that are kept");
          run.check(reader.record().whole() == 4, "not the last ones");
        });
  }

  /**
   * Reads the newest records. They are in order; one may be left out if it was being written, but
   * not if it had been seen before: if that was overwritten, nothing older is kept.
   */
  private static long readRow(Simulation run, HistoryRing.Reader<Pair> reader, long seen) {
    int count = reader.readLatest(3);
    long former = 0;
    for (int i = 0; i < count; i++) {
      long value = reader.record().whole();
      run.check(value > former, value + " came after " + former);
      run.check(
          i == 0 || value == former + 1 || former + 1 > seen, value + " came after " + former);
      former = value;
      reader.record().next();
    }
    return Math.max(seen, former);
  }

  @About("two writers lap each other in one slot: each claim is read, lost or refused, none twice")
  public static void writersLapEachOther(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.of(1, Pair::new);
    HistoryRing.Reader<Pair> reader = ring.newReader(1);
    addTwoWriters(run, ring);
    run.atEnd(
        () -> {
          account(run, ring, reader);
        });
  }

  @About("a reader beside two writers sees whole records only, and accounts for all claims")
  public static void readerBesideWriters(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.of(2, Pair::new);
    HistoryRing.Reader<Pair> reader = ring.newReader(2);
    addTwoWriters(run, ring);
    run.thread(
        "reader",
        () -> {
          for (int i = 0; i < 3; i++) {
            if (reader.next()) {
              reader.record().whole();
            }
          }
        });
    run.atEnd(
        () -> {
          account(run, ring, reader);
        });
  }

  @About("an aborted record counts as refused, and the slot goes on to be used")
  public static void abort(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.of(2, Pair::new);
    HistoryRing.Reader<Pair> reader = ring.newReader(2);
    run.thread(
        "writer",
        () -> {
          Pair pair = ring.newFlyweight();
          for (int i = 1; i <= 3; i++) {
            if (ring.tryClaim(pair)) {
              pair.set(-i);
              ring.abort(pair);
            }
            write(ring, pair, i);
          }
        });
    run.thread(
        "reader",
        () -> {
          long last = 0;
          for (int i = 0; i < 3; i++) {
            last = readOne(run, reader, last);
          }
        });
    run.atEnd(
        () -> {
          account(run, ring, reader);
          run.check(ring.refusedCount() == 3, "refused " + ring.refusedCount() + " of 3 aborted");
        });
  }

  @About("a writer that was lapped is refused, and so is who laps it while it writes")
  public static void lappedWriterIsRefused(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.of(1, Pair::new);
    HistoryRing.Reader<Pair> reader = ring.newReader(1);
    int[] committed = new int[3];
    for (int writer = 1; writer <= 2; writer++) {
      int value = writer;
      run.thread(
          "writer " + writer,
          () -> committed[value] = write(ring, ring.newFlyweight(), value) ? 1 : 0);
    }
    run.atEnd(
        () -> {
          int count = committed[1] + committed[2];
          run.check(
              ring.claimedCount() == count + ring.refusedCount(), "claims were not accounted for");
          boolean found = reader.readLatest(1) == 1;
          run.check(
              !found || committed[(int) reader.record().whole()] == 1, "a record that was refused");
          run.check(found || ring.refusedCount() > 0, "the last record is not there");
        });
  }

  @About("what the writer did before commit is seen by who reads the record")
  public static void commitPublishes(Simulation run) {
    publish(run, HistoryRing.of(1, Pair::new));
  }

  /** One thread does something and then writes a record, another reads it. */
  static void publish(Simulation run, HistoryRing<Pair> ring) {
    HistoryRing.Reader<Pair> reader = ring.newReader(1);
    Flag.Plain before = new Flag.Plain();
    run.thread(
        "writer",
        () -> {
          before.set();
          write(ring, ring.newFlyweight(), 1);
        });
    run.thread(
        "reader",
        () -> {
          if (reader.next()) {
            run.check(before.isSet(), "what came before was not seen");
          }
        });
  }

  @About("a reader made beside a writer begins with the oldest record kept; counts never fall")
  public static void readerIsMadeBesideWriter(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.of(2, Pair::new);
    run.thread(
        "writer",
        () -> {
          Pair pair = ring.newFlyweight();
          for (int i = 1; i <= 4; i++) {
            if (i == 2 && ring.tryClaim(pair)) {
              ring.abort(pair);
            }
            write(ring, pair, i);
          }
        });
    run.thread(
        "reader",
        () -> {
          long claimed = ring.claimedCount();
          long refused = ring.refusedCount();
          HistoryRing.Reader<Pair> reader = ring.newReader(1);
          long last = readOne(run, reader, 0);
          readOne(run, reader, last);
          run.check(ring.claimedCount() >= claimed, "fewer claims than before");
          run.check(ring.refusedCount() >= refused, "fewer refusals than before");
        });
    run.atEnd(
        () -> {
          HistoryRing.Reader<Pair> reader = ring.newReader(1);
          run.check(reader.next() && reader.record().whole() == 3, "not the oldest record kept");
          run.check(reader.lostCount() == 0, "lost what came before it was made");
          run.check(ring.refusedCount() == 1, "refused " + ring.refusedCount());
        });
  }

  private static void addTwoWriters(Simulation run, HistoryRing<Pair> ring) {
    for (int writer = 1; writer <= 2; writer++) {
      int first = 10 * writer;
      run.thread(
          "writer " + writer,
          () -> {
            Pair pair = ring.newFlyweight();
            for (int i = 0; i < 2; i++) {
              write(ring, pair, first + i);
            }
          });
    }
  }

  static boolean write(HistoryRing<Pair> ring, Pair pair, long value) {
    if (!ring.tryClaim(pair)) {
      return false;
    }
    pair.set(value);
    return ring.commit(pair);
  }

  /** Reads a record, whose value must be later than the last; returns it, or the last. */
  static long readOne(Simulation run, HistoryRing.Reader<Pair> reader, long last) {
    if (!reader.next()) {
      return last;
    }
    long value = reader.record().whole();
    run.check(value > last, value + " came after " + last);
    return value;
  }

  /** Once all is quiet: what was claimed was read, lost, refused or passed unfinished. */
  static void account(Simulation run, HistoryRing<Pair> ring, HistoryRing.Reader<Pair> reader) {
    while (reader.next()) {
      reader.record().whole();
    }
    long passed =
        reader.readCount() + reader.lostCount() + reader.refusedCount() + reader.unfinishedCount();
    run.check(
        ring.claimedCount() == passed,
        "claimed "
            + ring.claimedCount()
            + ", but read "
            + reader.readCount()
            + ", lost "
            + reader.lostCount()
            + ", refused "
            + reader.refusedCount()
            + ", unfinished "
            + reader.unfinishedCount());
  }
}
