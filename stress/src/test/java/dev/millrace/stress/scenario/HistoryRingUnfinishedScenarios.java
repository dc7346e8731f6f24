package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.HistoryRingScenarios.PAIRS;
import static dev.millrace.stress.scenario.HistoryRingScenarios.account;
import static dev.millrace.stress.scenario.HistoryRingScenarios.write;

import dev.millrace.queues.HistoryProducer;
import dev.millrace.queues.HistoryReader;
import dev.millrace.queues.HistoryRing;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** Readers that do not wait for writers that died, stalled or are slow. */
@ScenariosOf("HistoryRing")
public final class HistoryRingUnfinishedScenarios extends Steps {
  @About("a reader that skips beside two writers counts each claim once, and reads none twice")
  public void skipBesideWriters(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.multi(PAIRS, 2);
    skipBeside(run, ring, ring.newProducer(), ring.newProducer());
  }

  @About("a reader that skips beside writers that lap each other counts each claim once")
  public void skipBesideLaps(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.multi(PAIRS, 1);
    skipBeside(run, ring, ring.newProducer(), ring.newProducer());
  }

  @About("a reader that skips beside one writer counts each claim once")
  public void skipBesideOneWriter(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.single(PAIRS, 2);
    skipBeside(run, ring, ring.producer());
  }

  @SafeVarargs
  private static void skipBeside(
      Simulation run, HistoryRing<Pair> ring, HistoryProducer<Pair>... writers) {
    HistoryReader<Pair> reader = ring.newReader(1);
    long[] last = new long[writers.length + 1];
    for (int writer = 1; writer <= writers.length; writer++) {
      HistoryProducer<Pair> out = writers[writer - 1];
      int first = 10 * writer;
      run.thread(
          "writer " + writer,
          () -> {
            for (int i = 1; i <= 3; i++) {
              write(out, first + i);
            }
          });
    }
    run.thread(
        "reader",
        () -> {
          for (int i = 0; i < 5; i++) {
            if (reader.tryPoll() != null) {
              checkRises(run, reader.at(0).whole(), last);
            } else {
              long before = reader.unfinishedCount() + reader.lostCount();
              long passed = reader.skipUnfinished();
              long after = reader.unfinishedCount() + reader.lostCount();
              run.check(after - before == passed, "passed " + passed + ", counted otherwise");
            }
          }
        });
    run.atEnd(
        () -> {
          while (reader.tryPoll() != null) {
            checkRises(run, reader.at(0).whole(), last);
          }
          run.check(reader.skipUnfinished() == 0, "all are finished");
          account(run, ring, reader);
        });
  }

  private static void checkRises(Simulation run, long value, long[] last) {
    int writer = (int) value / 10;
    run.check(value > last[writer], value + " came after " + last[writer]);
    last[writer] = value;
  }

  @About("what was committed before the look is never passed; what its writer left is, once")
  public void skipPassesTheDeadOnly(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.multi(PAIRS, 4);
    HistoryReader<Pair> reader = ring.newReader(1);
    run.check(ring.newProducer().tryClaim() != null, "refused"); // and never committed
    Flag committed = new Flag();
    run.thread(
        "writer",
        () -> {
          HistoryProducer<Pair> out = ring.newProducer();
          write(out, 1);
          write(out, 2);
          committed.raise();
        });
    run.thread(
        "reader",
        () -> run.check(reader.tryPoll() == null, "a record that nobody committed"),
        committed::await,
        () -> run.check(reader.tryPoll() == null, "a record that nobody committed"),
        () -> run.check(reader.skipUnfinished() == 1, "not the dead one alone"),
        () -> run.check(reader.skipUnfinished() == 0, "passed a record that is there"),
        () -> run.check(reader.tryPoll() != null && reader.at(0).whole() == 1, "not the first"),
        () -> run.check(reader.tryPoll() != null && reader.at(0).whole() == 2, "not the second"),
        () ->
            run.check(
                reader.tryPoll() == null && reader.skipUnfinished() == 0, "more than there is"));
    run.atEnd(
        () -> account(run, ring, reader),
        () -> run.check(reader.unfinishedCount() == 1, "unfinished: " + reader.unfinishedCount()),
        () -> run.check(reader.readCount() == 2, "read: " + reader.readCount()));
  }

  @About("a record that was passed unfinished and is committed then is not delivered")
  public void skipMeetsCommit(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.multi(PAIRS, 2);
    HistoryReader<Pair> reader = ring.newReader(1);
    HistoryProducer<Pair> slow = ring.newProducer();
    Pair pair = slow.tryClaim();
    run.thread(
        "writer",
        () -> pair.set(1),
        slow::commit,
        () -> run.check(slow.refusedCount() == 0, "refused"));
    run.thread(
        "reader",
        () -> {
          long passed = reader.skipUnfinished();
          boolean found = reader.tryPoll() != null;
          run.check(passed == 0 || !found, "passed and delivered");
          run.check(!found || reader.at(0).whole() == 1, "not the record");
        });
    run.atEnd(() -> account(run, ring, reader));
  }
}
