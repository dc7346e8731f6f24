package dev.millrace.stress.scenario;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.HistoryProducer;
import dev.millrace.queues.HistoryReader;
import dev.millrace.queues.HistoryRing;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** Writers that overwrite, readers that are overtaken. */
@ScenariosOf("HistoryRing")
public final class HistoryRingScenarios extends Steps {
  static final FlyweightType<Pair> PAIRS = FlyweightType.of(Pair::new);

  @About("a reader that is overtaken sees whole records in order, or counts them as lost")
  public void readerIsOvertaken(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.multi(PAIRS, 2);
    HistoryReader<Pair> reader = ring.newReader(1);
    addOvertakenReader(run, ring.newProducer(), reader);
    run.atEnd(() -> account(run, ring, reader));
  }

  /** One thread writes five records, another reads four times. */
  static void addOvertakenReader(
      Simulation run, HistoryProducer<Pair> out, HistoryReader<Pair> reader) {
    addOvertakenWriter(run, out);
    run.thread(
        "reader",
        () -> {
          long last = 0;
          for (int i = 0; i < 4; i++) {
            last = readOne(run, reader, last);
          }
        });
  }

  private static void addOvertakenWriter(Simulation run, HistoryProducer<Pair> out) {
    run.thread(
        "writer",
        () -> {
          for (int i = 1; i <= 5; i++) {
            run.check(write(out, i), "refused though alone");
          }
        });
  }

  @About("the newest records are read whole and in a row, however often they are overwritten")
  public void latestIsRead(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.multi(PAIRS, 3);
    readLatestBeside(run, ring.newProducer(), ring.newReader(3));
  }

  /** One thread writes six records, another reads the newest three times. */
  static void readLatestBeside(
      Simulation run, HistoryProducer<Pair> out, HistoryReader<Pair> reader) {
    run.check(reader.sequence() == -1, "a sequence, though nothing was read");
    run.thread(
        "writer",
        () -> {
          for (int i = 1; i <= 6; i++) {
            write(out, i);
          }
        });
    addLatestReader(run, reader);
    run.atEnd(
        () -> run.check(reader.latest(3) == 3, "not all that are kept"),
        () -> run.check(reader.at(0).whole() == 4, "not the last ones"),
        () -> run.check(reader.sequence() == 5, "not the newest's sequence"));
  }

  private static void addLatestReader(Simulation run, HistoryReader<Pair> reader) {
    run.thread(
        "reader",
        () -> {
          long seen = 0;
          for (int i = 0; i < 3; i++) {
            seen = readRow(run, reader, seen);
          }
        });
  }

  @About("the newest records are read past aborted ones, however often they are overwritten")
  public void latestPassesAborted(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.multi(PAIRS, 3);
    HistoryProducer<Pair> out = ring.newProducer();
    HistoryReader<Pair> reader = ring.newReader(3);
    run.thread(
        "writer",
        () -> {
          for (int i = 1; i <= 4; i++) {
            write(out, i);
            out.tryClaim().set(-i);
            out.abort();
          }
        });
    addLatestReader(run, reader);
    run.atEnd(
        () -> run.check(reader.latest(3) == 1, "not the one that is kept"),
        () -> run.check(reader.at(0).whole() == 4, "not the last one"),
        () -> run.check(reader.sequence() == 6, "not the newest's sequence"));
  }

  /**
   * Reads the newest records. They are in order; one may be left out if it was being written, but
   * not if it had been seen before: if that was overwritten, nothing older is kept.
   */
  private static long readRow(Simulation run, HistoryReader<Pair> reader, long seen) {
    int count = reader.latest(3);
    long former = 0;
    for (int i = 0; i < count; i++) {
      long value = reader.at(i).whole();
      run.check(value > former, value + " came after " + former);
      run.check(
          i == 0 || value == former + 1 || former + 1 > seen, value + " came after " + former);
      former = value;
    }
    return Math.max(seen, former);
  }

  @About("two writers lap each other in one slot: each claim is read, lost or refused, none twice")
  public void writersLapEachOther(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.multi(PAIRS, 1);
    HistoryReader<Pair> reader = ring.newReader(1);
    addTwoWriters(run, ring);
    run.atEnd(() -> account(run, ring, reader));
  }

  @About("a reader beside two writers sees whole records only, and accounts for all claims")
  public void readerBesideWriters(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.multi(PAIRS, 2);
    HistoryReader<Pair> reader = ring.newReader(2);
    addTwoWriters(run, ring);
    run.thread(
        "reader",
        () -> {
          for (int i = 0; i < 3; i++) {
            if (reader.tryPoll() != null) {
              reader.at(0).whole();
            }
          }
        });
    run.atEnd(() -> account(run, ring, reader));
  }

  @About("an aborted record counts as refused, and the slot goes on to be used")
  public void abort(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.multi(PAIRS, 2);
    HistoryReader<Pair> reader = ring.newReader(2);
    run.thread(
        "writer",
        () -> {
          HistoryProducer<Pair> out = ring.newProducer();
          for (int i = 1; i <= 3; i++) {
            out.tryClaim().set(-i);
            out.abort();
            write(out, i);
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
        () -> account(run, ring, reader),
        () ->
            run.check(
                ring.refusedCount() == 3, "refused " + ring.refusedCount() + " of 3 aborted"));
  }

  @About("a writer that was lapped is refused, and so is who laps it while it writes")
  public void lappedWriterIsRefused(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.multi(PAIRS, 1);
    HistoryReader<Pair> reader = ring.newReader(1);
    int[] committed = new int[3];
    for (int writer = 1; writer <= 2; writer++) {
      int value = writer;
      run.thread(
          "writer " + writer, () -> committed[value] = write(ring.newProducer(), value) ? 1 : 0);
    }
    run.atEnd(
        () -> {
          int count = committed[1] + committed[2];
          run.check(
              ring.claimedCount() == count + ring.refusedCount(), "claims were not accounted for");
          boolean found = reader.latest(1) == 1;
          run.check(
              !found || committed[(int) reader.at(0).whole()] == 1, "a record that was refused");
          run.check(found || ring.refusedCount() > 0, "the last record is not there");
        });
  }

  @About("what the writer did before commit is seen by who reads the record")
  public void commitPublishes(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.multi(PAIRS, 1);
    publish(run, ring.newProducer(), ring.newReader(1));
  }

  /** One thread does something and then writes a record, another reads it. */
  static void publish(Simulation run, HistoryProducer<Pair> out, HistoryReader<Pair> reader) {
    Flag.Plain before = new Flag.Plain();
    run.thread("writer", before::set, () -> write(out, 1));
    run.thread(
        "reader",
        () -> {
          if (reader.tryPoll() != null) {
            run.check(before.isSet(), "what came before was not seen");
          }
        });
  }

  @About("a reader made beside a writer begins with the oldest record kept; counts never fall")
  public void readerIsMadeBesideWriter(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.multi(PAIRS, 2);
    run.thread(
        "writer",
        () -> {
          HistoryProducer<Pair> out = ring.newProducer();
          for (int i = 1; i <= 4; i++) {
            if (i == 2 && out.tryClaim() != null) {
              out.abort();
            }
            write(out, i);
          }
        });
    run.thread(
        "reader",
        () -> {
          long claimed = ring.claimedCount();
          long refused = ring.refusedCount();
          HistoryReader<Pair> reader = ring.newReader(1);
          long last = readOne(run, reader, 0);
          readOne(run, reader, last);
          run.check(ring.claimedCount() >= claimed, "fewer claims than before");
          run.check(ring.refusedCount() >= refused, "fewer refusals than before");
        });
    run.atEnd(
        () -> {
          HistoryReader<Pair> reader = ring.newReader(1);
          run.check(
              reader.tryPoll() != null && reader.at(0).whole() == 3, "not the oldest record kept");
          run.check(reader.lostCount() == 0, "lost what came before it was made");
          run.check(ring.refusedCount() == 1, "refused " + ring.refusedCount());
        });
  }

  @About("a run that is read beside a writer is of whole records, in order, each counted once")
  public void runIsReadBesideWriter(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.multi(PAIRS, 3);
    HistoryReader<Pair> reader = ring.newReader(3);
    addOvertakenWriter(run, ring.newProducer());
    run.thread(
        "reader",
        () -> {
          long last = 0;
          for (int i = 0; i < 2; i++) {
            int count = reader.tryPoll(3);
            for (int k = 0; k < count; k++) {
              long value = reader.at(k).whole();
              run.check(value > last, value + " came after " + last);
              last = value;
            }
            run.check(count == 0 || reader.sequence() == last - 1, "not the last one's sequence");
          }
        });
    run.atEnd(() -> account(run, ring, reader));
  }

  @About("a reader that goes to a time beside a writer reads from there, or counts as lost")
  public void seekBesideWriter(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.multi(PAIRS, 3);
    HistoryReader<Pair> reader = ring.newReader(1);
    HistoryProducer<Pair> out = ring.newProducer();
    write(out, 1);
    write(out, 2);
    write(out, 3);
    run.thread("writer", () -> write(out, 4), () -> write(out, 5));
    run.thread(
        "reader",
        () -> {
          reader.seek(3, Pair::whole);
          run.check(reader.position() == 2, "3 is at " + reader.position());
          long before = reader.lostCount();
          Pair pair = reader.tryPoll();
          if (pair != null) {
            long value = pair.whole();
            run.check(value == 3 + reader.lostCount() - before, "not the one: " + value);
            run.check(value == reader.sequence() + 1, "not its sequence: " + reader.sequence());
          }
        });
    run.atEnd(
        () -> reader.seek(4, Pair::whole),
        () -> run.check(reader.tryPoll().whole() == 4, "not 4"),
        () -> reader.seek(2),
        () -> run.check(reader.tryPoll().whole() == 3, "not 3"));
  }

  private static void addTwoWriters(Simulation run, HistoryRing<Pair> ring) {
    for (int writer = 1; writer <= 2; writer++) {
      int first = 10 * writer;
      run.thread(
          "writer " + writer,
          () -> {
            HistoryProducer<Pair> out = ring.newProducer();
            for (int i = 0; i < 2; i++) {
              write(out, first + i);
            }
          });
    }
  }

  /** Tells whether the record was committed and not refused. */
  static boolean write(HistoryProducer<Pair> out, long value) {
    long refused = out.refusedCount();
    Pair pair = out.tryClaim();
    if (pair != null) {
      pair.set(value);
      out.commit();
    }
    return out.refusedCount() == refused;
  }

  /** Reads a record, whose value must be later than the last; returns it, or the last. */
  static long readOne(Simulation run, HistoryReader<Pair> reader, long last) {
    if (reader.tryPoll() == null) {
      return last;
    }
    long value = reader.at(0).whole();
    run.check(value > last, value + " came after " + last);
    return value;
  }

  /** Once all is quiet: what was claimed was read, lost, refused or passed unfinished. */
  static void account(Simulation run, HistoryRing<Pair> ring, HistoryReader<Pair> reader) {
    while (reader.tryPoll() != null) {
      reader.at(0).whole();
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
