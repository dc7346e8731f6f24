package dev.millrace.stress.scenario;

import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** Writers that overwrite each other's records. */
@ScenariosOf("HistoryRing")
public final class HistoryRingOfManyScenarios extends HistoryRingScenarios {
  @Override
  HistoryRing<Pair> ring(int capacity) {
    return HistoryRing.multi(PAIRS, capacity);
  }

  @Override
  HistoryProducer<Pair> producer(HistoryRing<Pair> ring) {
    return ring.newProducer();
  }

  @Override
  int writers() {
    return 2;
  }

  @About("two writers lap each other in one slot: each claim is read, lost or refused, none twice")
  public void writersLapEachOther(Simulation run) {
    HistoryRing<Pair> ring = ring(1);
    HistoryReader<Pair> reader = ring.newReader(1);
    addTwoWriters(run, ring);
    run.atEnd(() -> account(run, ring, reader));
  }

  @About("a reader beside two writers sees whole records only, and accounts for all claims")
  public void readerBesideWriters(Simulation run) {
    HistoryRing<Pair> ring = ring(2);
    HistoryReader<Pair> reader = ring.newReader(2);
    addTwoWriters(run, ring);
    Body read =
        () -> {
          if (reader.tryPoll() != null) {
            reader.at(0).whole();
          }
        };
    run.thread("reader", times(3, read));
    run.atEnd(() -> account(run, ring, reader));
  }

  private static void addTwoWriters(Simulation run, HistoryRing<Pair> ring) {
    Numbered write =
        writer -> {
          HistoryProducer<Pair> out = ring.newProducer();
          rounds(2, i -> write(out, 10 * (writer + 1) + i)).run();
        };
    threads(run, 2, "writer", write);
  }

  @About("a writer that was lapped is refused, and so is who laps it while it writes")
  public void lappedWriterIsRefused(Simulation run) {
    HistoryRing<Pair> ring = ring(1);
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

  @About("a reader that skips beside writers that lap each other counts each claim once")
  public void skipBesideLaps(Simulation run) {
    skipBeside(run, 1);
  }

  @About("what was committed before the look is never passed; what its writer left is, once")
  public void skipPassesTheDeadOnly(Simulation run) {
    HistoryRing<Pair> ring = ring(4);
    HistoryReader<Pair> reader = ring.newReader(1);
    run.check(ring.newProducer().tryClaim() != null, "refused"); // and never committed
    HistoryProducer<Pair> out = ring.newProducer();
    Flag committed = new Flag();
    run.thread("writer", () -> write(out, 1), () -> write(out, 2), committed::raise);
    run.thread(
        "reader",
        () -> run.check(reader.tryPoll() == null, "a record that nobody committed"),
        committed::await,
        () -> run.check(reader.tryPoll() == null, "a record that nobody committed"),
        () -> run.check(reader.skipUnfinished() == 1, "not the dead one alone"),
        () -> run.check(reader.skipUnfinished() == 0, "passed a record that is there"),
        rounds(
            2,
            i ->
                run.check(
                    reader.tryPoll() != null && reader.at(0).whole() == 1 + i, "not number " + i)),
        () ->
            run.check(
                reader.tryPoll() == null && reader.skipUnfinished() == 0, "more than there is"));
    run.atEnd(
        () -> account(run, ring, reader),
        () -> run.check(reader.unfinishedCount() == 1, "unfinished: " + reader.unfinishedCount()),
        () -> run.check(reader.readCount() == 2, "read: " + reader.readCount()));
  }
}
