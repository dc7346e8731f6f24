package dev.millrace.stress.scenario;

import dev.millrace.core.Consumer;
import dev.millrace.core.OnFull;
import dev.millrace.core.Producer;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.AnyQueue;
import dev.millrace.queues.MpscConsumer;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.scenario.QueueTraffic.Sender;
import dev.millrace.stress.scenario.QueueTraffic.Taker;
import dev.millrace.stress.scenario.StampedScenarios.Kind;
import java.time.Duration;

/** Many producers and one consumer, through their ends and views of an interface. */
@ScenariosOf("MpscQueue")
public final class MpscQueueScenarios extends Steps {
  private static final Kind KIND = MpscQueueScenarios::traffic;

  private static QueueTraffic traffic(Simulation run, QueueOptions options) {
    MpscQueue<Duo> queue = MpscQueue.of(FlyweightType.of(Duo.class), options);
    return new QueueTraffic(run, new AnyQueue<>(queue));
  }

  private static Duo strictPoll(Consumer<Duo> consumer) throws InterruptedException {
    return ((MpscConsumer<Duo>) consumer).strictPoll();
  }

  @About("two producers' records through two slots: each once, in order, whole; slots are reused")
  public void singles(Simulation run) {
    QueueTraffic traffic = KIND.with(run, 2);
    traffic.addProducer(0, 3);
    traffic.addProducer(1, 3);
    traffic.addConsumers(1, 6);
  }

  @About("runs and single records of two producers, polled in runs, one by one, and drained")
  public void runsAndSingles(Simulation run) {
    QueueTraffic traffic = KIND.with(run, 4);
    StampedScenarios.runsAndSingles(traffic);
    traffic.addConsumers(
        1,
        Taker::poll,
        taker -> taker.pollRun(3),
        taker -> taker.drain(2),
        taker -> taker.pollRun(4),
        Taker::poll,
        taker -> taker.drain(1));
  }

  @About("what was aborted is passed over, a record and a run, and its slots are used again")
  public void abort(Simulation run) {
    StampedScenarios.abort(KIND.with(run, 2), 1);
  }

  @About("a producer may write where another has seen that the consumer is through")
  public void limitIsHandedOn(Simulation run) {
    QueueTraffic traffic = KIND.with(run, 2);
    traffic.sender(2).offerRun(2);
    traffic.addConsumers(1, taker -> taker.pollRun(2));
    traffic.addProducer(0, 1);
    traffic.addProducer(1, 2);
  }

  @About("whoever completes, the consumer gets each record whose claim came first, then the end")
  public void completeByThird(Simulation run) {
    StampedScenarios.completeByThird(run, KIND.with(run, 4), 2, 1);
  }

  @About("a completed queue is drained once its last claims have ended, even if by an abort")
  public void drainedByAborts(Simulation run) {
    StampedScenarios.drainedByAborts(run, KIND.with(run, 4));
  }

  @About("who sees the queue drained sees what the consumer did before its last release")
  public void endIsPublished(Simulation run) {
    StampedScenarios.endIsPublished(run, KIND.with(run, 2));
  }

  @About("a close while all are at work ends them by exceptions or values, never worse")
  public void ownerClosesEarly(Simulation run) {
    StampedScenarios.ownerClosesEarly(run, KIND.with(run, 2));
  }

  @About("a strict poll finds what was committed before, though an older claim is open")
  public void strictPoll(Simulation run) {
    StampedScenarios.strictPoll(
        run, KIND.with(run, parking(2)), MpscQueueScenarios::strictPoll);
  }

  @About("a queue that is never empty is never said to be by a strict poll")
  public void neverEmpty(Simulation run) {
    StampedScenarios.neverEmpty(run, KIND.with(run, 4), MpscQueueScenarios::strictPoll);
  }

  @About("a queue that is never full is never said to be: who puts a record took one before")
  public void neverFull(Simulation run) {
    QueueTraffic traffic = KIND.with(run, 2);
    Sender mine = traffic.sender(0);
    mine.offer();
    run.thread(
        "consumer, then producer",
        () -> run.check(traffic.taker.poll(), "none"),
        () -> run.check(mine.offer(), "full of none"));
    Producer<Duo> other = traffic.sender(1).producer;
    run.thread(
        "producer",
        () -> run.check(other.tryClaim() != null, "full, though it never is"),
        other::abort);
  }

  // ---- waiting ----

  @About("a claim and a poll with a time limit give up when it has passed")
  public void timeLimit(Simulation run) {
    QueueTraffic traffic = KIND.with(run, parking(2));
    Producer<Duo> slow = traffic.sender(1).producer;
    slow.tryClaim(2);
    Duration limit = Duration.ofNanos(1_000);
    traffic.addProducer(
        0, sender -> run.check(sender.producer.claim(limit) == null, "claimed though full"));
    traffic.addConsumers(
        1, taker -> run.check(taker.consumer.poll(limit) == null, "polled though none is there"));
    run.atEnd(slow::abort, traffic::checkAll);
  }

  @About("producers that park and a consumer that parks are woken by each other")
  public void allPark(Simulation run) {
    StampedScenarios.allPark(KIND.with(run, parking(2)), 1);
  }

  @About("an abort wakes a parked producer by way of the parked consumer")
  public void abortWakes(Simulation run) {
    StampedScenarios.abortWakes(run, KIND.with(run, parking(2)));
  }

  @About("a completion wakes both sides")
  public void completionWakes(Simulation run) {
    QueueTraffic traffic = KIND.with(run, parking(2));
    traffic.sender(2).offerRun(2);
    QueueScenarios.completionWakes(run, traffic, 2);
  }

  @About("a close wakes both sides; each is told")
  public void closeWakes(Simulation run) {
    QueueScenarios.closeWakes(run, KIND.with(run, parking(2)));
  }

  @About("where a full queue drops the newest, a claim does not wait")
  public void dropNewest(Simulation run) {
    StampedScenarios.dropNewest(
        run, KIND.with(run, QueueOptions.ofCapacity(2).withOnFull(OnFull.DROP_NEWEST)));
  }

  // ---- misuse ----

  @About("misuse is refused, and changes nothing; views throw while nothing is in hand")
  public void misuseIsRefused(Simulation run) {
    StampedScenarios.misuse(run, KIND.with(run, 2));
  }

  @About("runs are side by side and as long as there is room; aborted slots end a poll's run")
  public void runsAreContiguous(Simulation run) {
    StampedScenarios.runsAreContiguous(run, KIND.with(run, 4));
  }

  @About("a record whose handler throws is consumed, the later ones stay")
  public void handlerThrows(Simulation run) {
    QueueTraffic traffic = KIND.with(run, 4);
    traffic.addProducer(0, 2);
    traffic.addProducer(1, sender -> sender.offerRun(2));
    QueueScenarios.handlerThrows(run, traffic);
  }

  // ---- stall limit ----

  @About("a late commit and the consumer's giving up: one wins; the slot is not written over")
  public void lateCommit(Simulation run) {
    StampedScenarios.late(run, KIND, 2, 1, true, 1);
  }

  @About("the same of a run, in the midst of which nobody stops")
  public void lateRun(Simulation run) {
    StampedScenarios.late(run, KIND, 4, 2, true, 1);
  }

  @About("a late abort frees what was given up")
  public void lateAbort(Simulation run) {
    StampedScenarios.late(run, KIND, 2, 1, false, 1);
  }

  @About("claimers skip what is out of use, and wake a parked consumer that must pass it")
  public void holeIsSkipped(Simulation run) {
    StampedScenarios.holeIsSkipped(run, KIND);
  }

  @About("a run that was given up is out of use as a whole, until its producer comes back")
  public void runIsGivenUp(Simulation run) {
    StampedScenarios.runIsGivenUp(run, KIND);
  }

  @About("runs end before slots that are out of use; when no slot is left a claim says so")
  public void noneLeft(Simulation run) {
    StampedScenarios.noneLeft(run, KIND);
  }

  // ---- seen from outside ----

  @About("samplers see whole records in order, and counts within bounds, whatever goes on")
  public void samplers(Simulation run) {
    QueueScenarios.samplers(run, KIND.with(run, 4));
  }

  @About("a picture never shows a record in another's place, though its slot is used again")
  public void samplerMeetsReuse(Simulation run) {
    QueueScenarios.samplerMeetsReuse(run, KIND.with(run, 2));
  }

  @About("samplers of a queue that is closed meanwhile find what is there, or nothing")
  public void samplersMeetClose(Simulation run) {
    QueueScenarios.samplersMeetClose(run, KIND.with(run, 2));
  }
}
