package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.Records.refuses;

import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.OffHeapQueue;
import dev.millrace.queues.OffHeapQueue.Counters;
import dev.millrace.queues.QueueOptions;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.time.Duration;

/** Producers that stop between claim and commit, and come back late. */
@ScenariosOf("Claims")
public final class StalledProducerScenarios {
  /** So many looks at an open claim are not quite enough to give it up. */
  private static final int ALMOST = 18;

  /** And with so many more it is. */
  private static final int LOOKS = 5;

  private StalledProducerScenarios() {}

  private static QueueOptions limited(int capacity) {
    return QueueOptions.ofCapacity(capacity).withStallLimit(Duration.ofNanos(1_000));
  }

  private static void lookOften(Simulation run, OffHeapQueue<Pair> queue, int looks) {
    for (int i = 0; i < looks; i++) {
      run.check(queue.tryPoll() == OffHeapQueue.EMPTY, "a record though none is committed");
    }
  }

  private static void lookUntilGivenUp(Simulation run, OffHeapQueue<Pair> queue, int outOfUse) {
    while (queue.counters().outOfUse() < outOfUse) {
      lookOften(run, queue, 1);
    }
  }

  /** Comes back late, and tells in the end what became of the claim. */
  private static final class Late {
    private final Simulation run;
    private final OffHeapQueue<Pair> queue;
    private final Traffic traffic;
    private final Pair slow;
    private final int count;

    /** Claims, and lets the watch almost run down. */
    Late(Simulation run, OffHeapQueue<Pair> queue, int count) {
      this.run = run;
      this.queue = queue;
      this.count = count;
      this.traffic = new Traffic(run, queue);
      this.slow = queue.newFlyweight();
      run.check(queue.tryClaim(slow, count), "full though empty");
      lookOften(run, queue, ALMOST);
      run.atEnd(this::check);
    }

    /** Adds the thread that comes back to commit. */
    Late commits() {
      run.thread(
          "late producer",
          () -> {
            Traffic.Producer mine = traffic.producer(2);
            for (int i = 0; i < count; i++) {
              slow.set(mine.next() + i);
              slow.next();
            }
            if (queue.commit(slow)) {
              mine.sent(count);
            }
          });
      return this;
    }

    /** Adds the thread that comes back to abort. */
    Late aborts() {
      run.thread(
          "late producer",
          () -> {
            slow.set(-7);
            queue.abort(slow);
          });
      return this;
    }

    /** Adds consumers, which may give up the claim; returns the traffic beside it. */
    Traffic meets(int consumers) {
      for (int i = 0; i < consumers; i++) {
        traffic.addConsumer("consumer " + i, LOOKS);
      }
      return traffic;
    }

    /** After a lap or two all slots are in use again, and nothing was lost. */
    private void check() throws Exception {
      traffic.checkAll();
      Counters before = queue.counters();
      Pair pair = queue.newFlyweight();
      for (int i = 0; i < 2 * queue.capacity(); i++) {
        run.check(Records.offer(queue, pair, i), "full though empty: " + queue.counters());
        run.check(Records.poll(queue, pair) == i, "another record");
      }
      Counters after = queue.counters();
      run.check(after.outOfUse() == 0, "out of use: " + after);
      run.check(
          after.committed() == after.consumed()
              && after.consumed() == traffic.cameCount() + 2L * queue.capacity()
              && after.claimed() == after.consumed() + after.aborted() + after.stalled()
              && before.refused() <= before.stalled(),
          before + ", then " + after);
      run.check(Records.offerRun(queue, pair, 0, queue.capacity()), "not all are left: " + after);
    }
  }

  @About("a late commit and a consumer's giving up: one wins; the slot is not written over")
  public static void lateCommit(Simulation run) {
    Late late = new Late(run, MpscQueue.of(limited(2), Pair::new), 1);
    late.commits().meets(1).addProducer(0, 3);
  }

  @About("the same of a run, in the midst of which nobody stops")
  public static void lateRun(Simulation run) {
    Late late = new Late(run, MpscQueue.of(limited(4), Pair::new), 2);
    Traffic traffic = late.commits().meets(1);
    traffic.addProducer(0, 3);
    traffic.addProducer(1, (producer, pair) -> producer.offerRun(pair, 2));
  }

  @About("a late abort frees what was given up")
  public static void lateAbort(Simulation run) {
    Late late = new Late(run, MpscQueue.of(limited(2), Pair::new), 1);
    late.aborts().meets(1).addProducer(0, 3);
  }

  @About("with two consumers, who give up and pass at once")
  public static void lateCommitMpmc(Simulation run) {
    Late late = new Late(run, MpmcQueue.of(limited(2), Pair::new), 1);
    late.commits().meets(2).addProducer(0, 3);
  }

  @About("the same of a run, with two consumers")
  public static void lateRunMpmc(Simulation run) {
    Late late = new Late(run, MpmcQueue.of(limited(4), Pair::new), 2);
    late.commits()
        .meets(2)
        .addProducer(
            0,
            (producer, pair) -> {
              producer.offerRun(pair, 2);
              producer.offer(pair);
              producer.offerRun(pair, 2);
            });
  }

  @About("a late abort of a run, with two consumers")
  public static void lateAbortMpmc(Simulation run) {
    Late late = new Late(run, MpmcQueue.of(limited(4), Pair::new), 2);
    late.aborts().meets(2).addProducer(0, 4);
  }

  @About("claimers skip what is out of use, and wake a parked consumer that must pass it")
  public static void holeIsSkipped(Simulation run) {
    holeIsSkipped(run, MpscQueue.of(parking(2), Pair::new));
  }

  @About("the same with many consumers")
  public static void holeIsSkippedMpmc(Simulation run) {
    holeIsSkipped(run, MpmcQueue.of(parking(2), Pair::new));
  }

  private static QueueOptions parking(int capacity) {
    return limited(capacity).withProducerWaits(Waits.PARK).withConsumerWaits(Waits.PARK);
  }

  private static void holeIsSkipped(Simulation run, OffHeapQueue<Pair> queue) {
    Traffic traffic = new Traffic(run, queue);
    Pair slow = queue.newFlyweight();
    run.check(queue.tryClaim(slow), "full though empty");
    lookUntilGivenUp(run, queue, 1);
    traffic.addWaitingProducers();
    traffic.addWaitingConsumer("consumer", 4);
    run.thread("late producer", () -> run.check(!queue.commit(slow), "committed though given up"));
  }

  @About("when no slots are left in a row a claim says so; a late producer makes it succeed again")
  public static void noneLeft(Simulation run) {
    noneLeft(run, MpscQueue.of(limited(4), Pair::new));
    noneLeft(run, MpmcQueue.of(limited(4), Pair::new));
  }

  private static void noneLeft(Simulation run, OffHeapQueue<Pair> queue) {
    Pair pair = queue.newFlyweight();
    Pair first = queue.newFlyweight();
    Pair second = queue.newFlyweight();
    run.check(queue.tryClaim(first), "full though empty");
    lookUntilGivenUp(run, queue, 1);
    run.check(Records.offer(queue, pair, 1) && Records.poll(queue, pair) == 1, "not through");
    run.check(queue.tryClaim(second), "full though empty");
    lookUntilGivenUp(run, queue, 2);
    // the first and the third of four are out of use
    for (int count = 2; count <= 4; count++) {
      int tooMany = count;
      run.check(refuses(() -> queue.tryClaim(pair, tooMany)), "so many in a row: " + count);
      lookOften(run, queue, 1); // passes the slots in between, which the claim has left
    }
    for (int i = 0; i < 4; i++) {
      run.check(Records.offer(queue, pair, i) && Records.poll(queue, pair) == i, "not through");
    }
    run.check(Records.offer(queue, pair, 5) && Records.offer(queue, pair, 6), "no two left");
    run.check(!queue.tryClaim(pair), "claimed though full");
    run.check(Samples.shown(queue).equals("5 6"), "shown: " + Samples.shown(queue));
    run.check(Records.poll(queue, pair) == 5 && Records.poll(queue, pair) == 6, "other records");
    queue.abort(first);
    run.check(!queue.commit(second), "committed though given up");
    for (int i = 0; i < 8; i++) {
      run.check(Records.offer(queue, pair, i) && Records.poll(queue, pair) == i, "not through");
    }
    run.check(Records.offerRun(queue, pair, 1, 4), "not all are left: " + queue.counters());
    Counters counters = queue.counters();
    run.check(
        counters.stalled() == 2 && counters.refused() == 2 && counters.outOfUse() == 0,
        counters.toString());
    run.check(counters.aborted() == 0, counters.toString());
  }

  @About(
      "a run that was given up is out of use as a whole: a claim that needs its slots is refused")
  public static void noneLeftBesideARun(Simulation run) {
    noneLeftBesideARun(run, MpscQueue.of(limited(4), Pair::new));
    noneLeftBesideARun(run, MpmcQueue.of(limited(4), Pair::new));
  }

  private static void noneLeftBesideARun(Simulation run, OffHeapQueue<Pair> queue) {
    Pair pair = queue.newFlyweight();
    Pair stalled = queue.newFlyweight();
    run.check(queue.tryClaim(stalled, 2), "full though empty");
    lookUntilGivenUp(run, queue, 2);
    run.check(Records.offerRun(queue, pair, 1, 2), "not two left");
    run.check(Records.poll(queue, pair) == 1 && Records.poll(queue, pair) == 2, "not through");
    run.check(refuses(() -> queue.tryClaim(pair, 3)), "three in a row of two");
  }
}
