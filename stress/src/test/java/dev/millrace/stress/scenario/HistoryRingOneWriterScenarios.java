package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.HistoryRingScenarios.PAIRS;
import static dev.millrace.stress.scenario.HistoryRingScenarios.account;
import static dev.millrace.stress.scenario.HistoryRingScenarios.addOvertakenReader;
import static dev.millrace.stress.scenario.HistoryRingScenarios.publish;
import static dev.millrace.stress.scenario.HistoryRingScenarios.readLatestBeside;
import static dev.millrace.stress.scenario.HistoryRingScenarios.readOne;
import static dev.millrace.stress.scenario.HistoryRingScenarios.write;

import dev.millrace.queues.HistoryProducer;
import dev.millrace.queues.HistoryReader;
import dev.millrace.queues.HistoryRing;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** The same promises where one thread writes, and updates nothing atomically. */
@ScenariosOf("HistoryRing")
public final class HistoryRingOneWriterScenarios extends Steps {
  @About("one writer: a reader that is overtaken sees whole records in order, or counts them lost")
  public void oneWriterOvertakes(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.single(PAIRS, 2);
    HistoryReader<Pair> reader = ring.newReader(1);
    addOvertakenReader(run, ring.producer(), reader);
    run.atEnd(
        () -> account(run, ring, reader),
        () -> run.check(ring.claimedCount() == 5, "claimed " + ring.claimedCount()),
        () -> run.check(reader.refusedCount() == 0, "refused " + reader.refusedCount()));
  }

  @About("one writer: the newest records are read whole and in a row")
  public void oneWritersLatest(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.single(PAIRS, 3);
    readLatestBeside(run, ring.producer(), ring.newReader(3));
  }

  @About("one writer: what it did before commit is seen by who reads the record")
  public void oneWriterPublishes(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.single(PAIRS, 1);
    publish(run, ring.producer(), ring.newReader(1));
  }

  @About("one writer: aborted records are counted, by readers and in sum, and none is delivered")
  public void oneWriterAborts(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.single(PAIRS, 2);
    HistoryReader<Pair> reader = ring.newReader(2);
    run.thread(
        "writer",
        () -> {
          HistoryProducer<Pair> out = ring.producer();
          for (int i = 1; i <= 3; i++) {
            out.tryClaim().set(-i);
            out.abort();
            run.check(write(out, i), "refused");
          }
          run.check(write(out, 4), "refused"); // not as many as are aborted
        });
    run.thread(
        "reader",
        () -> {
          long last = 0;
          for (int i = 0; i < 3; i++) {
            long refused = ring.refusedCount();
            last = readOne(run, reader, last);
            run.check(ring.refusedCount() >= refused, "fewer refusals than before");
          }
        });
    run.atEnd(
        () -> account(run, ring, reader),
        () ->
            run.check(
                ring.refusedCount() == 3, "refused " + ring.refusedCount() + " of 3 aborted"));
  }

  @About("one writer: a reader made beside it begins with the oldest record kept")
  public void readerIsMadeBesideOneWriter(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.single(PAIRS, 2);
    run.thread(
        "writer",
        () -> {
          HistoryProducer<Pair> out = ring.producer();
          for (int i = 1; i <= 4; i++) {
            write(out, i);
          }
        });
    run.thread(
        "reader",
        () -> {
          long claimed = ring.claimedCount();
          HistoryReader<Pair> reader = ring.newReader(1);
          long last = readOne(run, reader, 0);
          readOne(run, reader, last);
          run.check(ring.claimedCount() >= claimed, "fewer claims than before");
        });
    run.atEnd(
        () -> {
          HistoryReader<Pair> reader = ring.newReader(1);
          run.check(
              reader.tryPoll() != null && reader.at(0).whole() == 3, "not the oldest record kept");
        });
  }

  @About("one writer at a time: another goes on where it was handed over, and the row has no gap")
  public void oneWriterHandsOver(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.single(PAIRS, 2);
    HistoryReader<Pair> reader = ring.newReader(2);
    Flag handedOver = new Flag();
    run.thread(
        "former",
        () -> {
          HistoryProducer<Pair> out = ring.producer();
          write(out, 1);
          write(out, 2);
          handedOver.raise();
        });
    run.thread(
        "latter",
        () -> {
          HistoryProducer<Pair> out = ring.producer();
          handedOver.await();
          write(out, 3);
        });
    run.thread(
        "reader",
        () -> {
          long last = readOne(run, reader, 0);
          readOne(run, reader, last);
        });
    run.atEnd(
        () -> run.check(reader.latest(2) == 2, "not all that are kept"),
        () -> run.check(reader.at(0).whole() == 2, "not the last ones"),
        () -> account(run, ring, reader));
  }
}
