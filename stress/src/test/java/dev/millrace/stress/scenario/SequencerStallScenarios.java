package dev.millrace.stress.scenario;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.scenario.RingTraffic.Stage;
import java.time.Duration;

/** Producers that stop between claim and publish, and come back late. */
@ScenariosOf("MultiProducerSequencer")
public final class SequencerStallScenarios extends RingScenarios {
  /** So many looks at an open claim are not quite enough to give it up. */
  private static final int ALMOST = 15;

  /** And with so many more it is. */
  private static final int LOOKS = 5;

  private static RingOptions limited(int capacity) {
    return RingOptions.multiProducer(capacity).withStallLimit(Duration.ofNanos(1_000));
  }

  /**
   * Lets a worker look in vain, until almost or until all of the claim at its place is given up.
   */
  private static void look(Simulation run, Stage stage, int looks) {
    for (int i = 0; i < looks; i++) {
      run.check(stage.worker().poll(1) == 0, "an event though none is published");
    }
  }

  private static void lookUntilGivenUp(Simulation run, RingTraffic traffic, int outOfUse) {
    while (Inside.counters(traffic.sequencer).outOfUse() < outOfUse) {
      for (Stage stage : traffic.stages()) {
        look(run, stage, 1);
      }
    }
  }

  private static void comesLate(Simulation run, RingTraffic traffic, long first, int count) {
    run.thread("late producer", () -> traffic.send(first, count));
    run.atEnd(() -> allInUseAgain(run, traffic));
  }

  /** After a lap or two all slots are in use again, and nothing was lost. */
  private static void allInUseAgain(Simulation run, RingTraffic traffic) {
    traffic.checkAll();
    Sequencer sequencer = traffic.sequencer;
    Inside.Counters before = Inside.counters(sequencer);
    for (int i = 0; i < 2 * sequencer.capacity(); i++) {
      run.check(traffic.offer(1), "full though empty: " + Inside.counters(sequencer));
      traffic.checkAll();
    }
    Inside.Counters after = Inside.counters(sequencer);
    run.check(after.outOfUse() == 0, "out of use: " + after);
    run.check(
        after.claimed() == traffic.sentCount() + after.aborted() + after.stalled()
            && before.refused() <= before.stalled(),
        before + ", then " + after);
    run.check(traffic.offer(sequencer.capacity()), "not all are left: " + after);
    traffic.checkAll();
  }

  @About("a late publish, and two first consumers that may give up: one wins; one behind follows")
  public void latePublish(Simulation run) {
    RingTraffic traffic = new RingTraffic(run, limited(2));
    Stage left = traffic.stage();
    Stage right = traffic.stage();
    Stage behind = traffic.stage(left, right);
    long first = traffic.sequencer.tryClaim();
    look(run, left, ALMOST);
    comesLate(run, traffic, first, 1);
    left.polls(LOOKS, 1);
    right.polls(LOOKS, 1);
    behind.polls(3, 1);
  }

  @About("the same of a run, and another producer's events behind it")
  public void lateRun(Simulation run) {
    RingTraffic traffic = new RingTraffic(run, limited(4));
    Stage left = traffic.stage();
    Stage right = traffic.stage();
    long first = traffic.sequencer.tryClaim(2);
    look(run, left, ALMOST);
    comesLate(run, traffic, first, 2);
    run.thread("producer", traffic.offers(2), traffic.offers(1));
    left.polls(LOOKS, 2);
    right.polls(LOOKS, 2);
  }

  @About("slots that were given up are passed over for laps, and are in use again when let go")
  public void lateByLaps(Simulation run) {
    RingTraffic traffic = new RingTraffic(run, limited(4));
    Stage first = traffic.stage();
    Stage behind = traffic.stage(first);
    long late = traffic.sequencer.tryClaim(2);
    lookUntilGivenUp(run, traffic, 2);
    comesLate(run, traffic, late, 2);
    traffic.addProducer("producer", 4);
    first.polls(6, 2);
    behind.polls(6, 2);
  }

  @About("a late abort frees what was given up")
  public void lateAbort(Simulation run) {
    RingTraffic traffic = new RingTraffic(run, limited(2));
    Stage first = traffic.stage();
    Stage behind = traffic.stage(first);
    long late = traffic.sequencer.tryClaim();
    look(run, first, ALMOST);
    run.thread("late producer", () -> traffic.sequencer.abort(late));
    run.atEnd(() -> allInUseAgain(run, traffic));
    traffic.addProducer("producer", 3);
    first.polls(LOOKS, 2);
    behind.polls(3, 2);
  }

  @About("a late publish, and two workers that share the events and may give up")
  public void lateForWorkers(Simulation run) {
    RingTraffic traffic = new RingTraffic(run, limited(2));
    Stage group = traffic.shared(2);
    Stage behind = traffic.stage(group);
    long late = traffic.sequencer.tryClaim();
    look(run, group, ALMOST);
    comesLate(run, traffic, late, 1);
    group.polls(LOOKS, 1);
    behind.polls(3, 1);
  }

  @About("workers that share the events pass what was given up, for laps, and one behind them")
  public void lapsForWorkers(Simulation run) {
    RingTraffic traffic = new RingTraffic(run, limited(2));
    Stage group = traffic.shared(2);
    long late = traffic.sequencer.tryClaim();
    lookUntilGivenUp(run, traffic, 1);
    comesLate(run, traffic, late, 1);
    traffic.addProducer("producer", 3);
    group.polls(4, 1);
  }

  @About("who sees that a slot which was let go has been passed finds it in use again")
  public void passedSlotIsInUse(Simulation run) {
    RingTraffic traffic = new RingTraffic(run, limited(2));
    Stage group = traffic.shared(2);
    long late = traffic.sequencer.tryClaim();
    lookUntilGivenUp(run, traffic, 1);
    run.check(!traffic.send(late, 1), "published though given up");
    run.check(traffic.offer(1) && group.worker().poll(1) == 1, "not through");
    run.check(traffic.offer(1), "the slot behind the one that was let go is free");
    run.thread("producer", traffic.offers(1));
    run.thread("worker", () -> group.worker().poll(1));
    run.atEnd(() -> allInUseAgain(run, traffic));
  }

  @About("two consumers bring back what was let go; what is given up next is kept out of use")
  public void givenUpAgain(Simulation run) {
    RingTraffic traffic = new RingTraffic(run, limited(2));
    Stage left = traffic.stage();
    Stage right = traffic.stage();
    long late = traffic.sequencer.tryClaim();
    lookUntilGivenUp(run, traffic, 1);
    run.check(!traffic.send(late, 1), "published though given up");
    run.check(traffic.offer(1), "full though empty");
    run.check(left.worker().poll(1) == 1 && right.worker().poll(1) == 1, "not through");
    run.check(traffic.offer(1), "the slot behind the one that was let go is free");
    left.polls(2, 1);
    right.polls(2, 1);
    run.atEnd(traffic::checkAll, () -> checkIsKept(run, traffic));
  }

  /** Gives up a claim: its slot is claimed by nobody else, until its producer comes back. */
  private static void checkIsKept(Simulation run, RingTraffic traffic) {
    Sequencer sequencer = traffic.sequencer;
    long kept = sequencer.tryClaim();
    run.check(kept >= 0, "full though empty");
    lookUntilGivenUp(run, traffic, 1);
    for (int i = 0; i < sequencer.capacity(); i++) {
      long other = sequencer.tryClaim();
      run.check(other >= 0, "full though empty");
      run.check((other - kept) % sequencer.capacity() != 0, "claimed what is out of use");
      traffic.send(other, 1);
      traffic.checkAll();
    }
    run.check(refuses(() -> sequencer.tryClaim(sequencer.capacity())), "all are left");
    run.check(!traffic.send(kept, 1), "published though given up");
  }

  @About("where all park a late publish wakes whom it must, and looks go on meanwhile")
  public void parked(Simulation run) {
    RingTraffic traffic = new RingTraffic(run, limited(2).withProducerWaits(PARK));
    Stage first = traffic.stage(PARK);
    Stage behind = traffic.stage(PARK, first);
    long late = traffic.sequencer.tryClaim();
    lookUntilGivenUp(run, traffic, 1);
    run.thread(
        "late producer", () -> run.check(!traffic.send(late, 1), "published though given up"));
    traffic.addLastProducer(4);
    first.takesAll(2);
    behind.takesAll(2);
  }

  @About("when no slots are left in a row a claim says so; a late producer makes it succeed again")
  public void noneLeft(Simulation run) {
    RingTraffic traffic = new RingTraffic(run, limited(4));
    Sequencer sequencer = traffic.sequencer;
    Stage stage = traffic.stage(WaitStrategy.busySpin());
    long first = sequencer.tryClaim(2);
    lookUntilGivenUp(run, traffic, 2);
    run.check(sequencer.publishedEnd() == 2, "published to " + sequencer.publishedEnd());
    run.check(refuses(() -> sequencer.tryClaim(3)), "three in a row of two");
    look(run, stage, 1);
    for (int i = 0; i < 3; i++) {
      run.check(traffic.offer(2), "no two in a row: " + Inside.counters(sequencer));
      run.check(!traffic.offer(1), "claimed though full"); // but has skipped what is out of use
      run.check(sequencer.publishedEnd() == sequencer.claimedEnd(), "published: " + sequencer);
      traffic.checkAll();
    }
    run.check(refuses(() -> sequencer.commit(first, 3)), "published more than was claimed");
    run.check(!RingTraffic.isCommitted(sequencer, first, 2), "published though given up");
    allInUseAgain(run, traffic);
    Inside.Counters counters = Inside.counters(sequencer);
    run.check(
        counters.stalled() == 2 && counters.refused() == 2 && counters.aborted() == 0,
        counters.toString());
  }

  @About("what was given up counts as published, in its turn and in the next, held or let go")
  public void publishedEndPassesGivenUp(Simulation run) {
    RingTraffic traffic = new RingTraffic(run, limited(4));
    Sequencer sequencer = traffic.sequencer;
    Stage first = traffic.stage(WaitStrategy.busySpin());
    traffic.stage(WaitStrategy.busySpin()); // behind, so that nothing is free
    long late = sequencer.tryClaim(2);
    while (Inside.counters(sequencer).outOfUse() < 2) {
      look(run, first, 1);
    }
    run.check(sequencer.publishedEnd() == 2, "published to " + sequencer.publishedEnd());
    traffic.send(late, 2);
    run.check(sequencer.publishedEnd() == 2, "published to " + sequencer.publishedEnd());
    traffic.checkAll();
    run.check(traffic.offer(2), "full though empty");
    traffic.checkAll();
    run.check(traffic.offer(1), "full though empty");
    run.check(sequencer.publishedEnd() == 7, "published to " + sequencer.publishedEnd());
    allInUseAgain(run, traffic);
  }
}
