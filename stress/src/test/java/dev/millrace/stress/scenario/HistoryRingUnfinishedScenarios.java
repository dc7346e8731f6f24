package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.HistoryRingScenarios.account;
import static dev.millrace.stress.scenario.HistoryRingScenarios.write;

import dev.millrace.queues.HistoryRing;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** Readers that do not wait for writers that died, stalled or are slow. */
@ScenariosOf("HistoryRing")
public final class HistoryRingUnfinishedScenarios {
  private HistoryRingUnfinishedScenarios() {}

  @About("a reader that skips beside two writers counts each claim once, and reads none twice")
  public static void skipBesideWriters(Simulation run) {
    skipBeside(run, HistoryRing.of(2, Pair::new), 2);
  }

  @About("a reader that skips beside writers that lap each other counts each claim once")
  public static void skipBesideLaps(Simulation run) {
    skipBeside(run, HistoryRing.of(1, Pair::new), 2);
  }

  @About("a reader that skips beside one writer counts each claim once")
  public static void skipBesideOneWriter(Simulation run) {
    skipBeside(run, HistoryRing.ofOneWriter(2, Pair::new), 1);
  }

  private static void skipBeside(Simulation run, HistoryRing<Pair> ring, int writers) {
    HistoryRing.Reader<Pair> reader = ring.newReader(1);
    long[] last = new long[writers + 1];
    for (int writer = 1; writer <= writers; writer++) {
      int first = 10 * writer;
      run.thread(
          "writer " + writer,
          () -> {
            Pair pair = ring.newFlyweight();
            for (int i = 1; i <= 3; i++) {
              write(ring, pair, first + i);
            }
          });
    }
    run.thread(
        "reader",
        () -> {
          for (int i = 0; i < 5; i++) {
            if (reader.next()) {
              checkRises(run, reader.record().whole(), last);
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
          while (reader.next()) {
            checkRises(run, reader.record().whole(), last);
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
  public static void skipPassesTheDeadOnly(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.of(4, Pair::new);
    HistoryRing.Reader<Pair> reader = ring.newReader(1);
    run.check(ring.tryClaim(ring.newFlyweight()), "refused"); // and never committed
    Flag committed = new Flag();
    run.thread(
        "writer",
        () -> {
          Pair pair = ring.newFlyweight();
          write(ring, pair, 1);
          write(ring, pair, 2);
          committed.raise();
        });
    run.thread(
        "reader",
        () -> {
          run.check(!reader.next(), "a record that nobody committed");
          committed.await();
          run.check(!reader.next(), "a record that nobody committed");
          run.check(reader.skipUnfinished() == 1, "not the dead one alone");
          run.check(reader.skipUnfinished() == 0, "passed a record that is there");
          run.check(reader.next() && reader.record().whole() == 1, "not the first");
          run.check(reader.next() && reader.record().whole() == 2, "not the second");
          run.check(!reader.next() && reader.skipUnfinished() == 0, "more than there is");
        });
    run.atEnd(
        () -> {
          account(run, ring, reader);
          run.check(reader.unfinishedCount() == 1, "unfinished: " + reader.unfinishedCount());
          run.check(reader.readCount() == 2, "read: " + reader.readCount());
        });
  }

  @About("a record that was passed unfinished and is committed then is not delivered")
  public static void skipMeetsCommit(Simulation run) {
    HistoryRing<Pair> ring = HistoryRing.of(2, Pair::new);
    HistoryRing.Reader<Pair> reader = ring.newReader(1);
    Pair slow = ring.newFlyweight();
    run.check(ring.tryClaim(slow), "refused");
    run.thread(
        "writer",
        () -> {
          slow.set(1);
          run.check(ring.commit(slow), "refused");
        });
    run.thread(
        "reader",
        () -> {
          long passed = reader.skipUnfinished();
          boolean found = reader.next();
          run.check(passed == 0 || !found, "passed and delivered");
          run.check(!found || reader.record().whole() == 1, "not the record");
        });
    run.atEnd(() -> account(run, ring, reader));
  }
}
