package dev.millrace.stress.scenario;

import dev.millrace.core.Consumer;
import dev.millrace.core.OnFull;
import dev.millrace.core.Producer;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.AnyQueue;
import dev.millrace.queues.MpmcConsumer;
import dev.millrace.queues.MpmcProducer;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.scenario.QueueTraffic.Sender;
import dev.millrace.stress.scenario.QueueTraffic.Taker;
import dev.millrace.stress.scenario.StampedScenarios.Kind;

/** Many producers and many consumers, through their ends and views of an interface. */
@ScenariosOf("MpmcQueue")
public final class MpmcQueueScenarios extends Steps {
  private static final Kind KIND = MpmcQueueScenarios::traffic;

  private static QueueTraffic traffic(Simulation run, QueueOptions options) {
    MpmcQueue<Duo> queue = MpmcQueue.of(FlyweightType.of(Duo.class), options);
    return new QueueTraffic(run, new AnyQueue<>(queue));
  }

  private static Duo strictPoll(Consumer<Duo> consumer) throws InterruptedException {
    return ((MpmcConsumer<Duo>) consumer).strictPoll();
  }

  private static Duo strictClaim(Producer<Duo> producer) throws InterruptedException {
    return ((MpmcProducer<Duo>) producer).strictClaim();
  }

  @About("each record goes to one of two consumers, whole and in order; slots are reused when free")
  public void singles(Simulation run) {
    QueueTraffic traffic = KIND.with(run, 2);
    traffic.addProducer(0, 3);
    traffic.addProducer(1, 3);
    traffic.addConsumers(2, 4);
  }

  @About("runs and single records, polled in runs, one by one, and drained, by two consumers")
  public void runsAndSingles(Simulation run) {
    QueueTraffic traffic = KIND.with(run, 4);
    StampedScenarios.runsAndSingles(traffic);
    traffic.addConsumers(
        2,
        taker -> taker.pollRun(3),
        Taker::poll,
        taker -> taker.drain(2),
        taker -> taker.pollRun(2));
  }

  @About("a record in a consumer's hands stays as it is, though later ones are released before it")
  public void releaseOutOfOrder(Simulation run) {
    QueueTraffic traffic = KIND.with(run, 2);
    traffic.addProducer(0, 4);
    Taker another = traffic.newTaker();
    traffic.addConsumers(
        1,
        taker -> {
          Duo first = taker.consumer.tryPoll();
          another.poll();
          if (first != null) {
            taker.expect(first);
            taker.consumer.release();
          }
          another.pollRun(2);
        });
    Taker third = traffic.newTaker();
    run.thread("another consumer", third::poll, third::poll);
  }

  @About("what was aborted is passed over by whoever comes by, a record and a run")
  public void abort(Simulation run) {
    StampedScenarios.abort(KIND.with(run, 2), 2);
  }

  @About("whoever completes, consumers get each record whose claim came first, then the end")
  public void completeByThird(Simulation run) {
    StampedScenarios.completeByThird(run, KIND.with(run, 4), 1, 2);
  }

  @About("a completed queue is drained once its last claims have ended, even if by an abort")
  public void drainedByAborts(Simulation run) {
    StampedScenarios.drainedByAborts(run, KIND.with(run, 4));
  }

  @About("who sees the queue drained sees what the consumer did before its last release")
  public void endIsPublished(Simulation run) {
    StampedScenarios.endIsPublished(run, KIND.with(run, 2));
  }

  @About("the end is told to a parked consumer while another has the last record in hand")
  public void endWhileInHand(Simulation run) {
    QueueTraffic traffic = KIND.with(run, parking(2));
    Flag.Plain beforeRelease = new Flag.Plain();
    Taker slow = traffic.newTaker();
    traffic.sender(0).offer();
    slow.expect(slow.consumer.tryPoll());
    traffic.addConsumers(2, Taker::takeAll);
    run.thread("closer", traffic.queue::complete);
    run.thread(
        "consumer with a record",
        () -> run.check(!traffic.queue.isDrained(), "drained though a record is in hand"),
        beforeRelease::set,
        slow.consumer::release);
    run.thread(
        "observer",
        () -> {
          if (traffic.queue.isDrained()) {
            run.check(beforeRelease.isSet(), "release was not seen");
          }
        });
    run.atEnd(() -> run.check(traffic.queue.isDrained(), "not drained"), traffic::checkAll);
  }

  @About("a close while all are at work ends them by exceptions or values, never worse")
  public void ownerClosesEarly(Simulation run) {
    StampedScenarios.ownerClosesEarly(run, KIND.with(run, 2));
  }

  // ---- strict forms ----

  @About("a strict poll finds what was committed before, though an older claim is open")
  public void strictPoll(Simulation run) {
    StampedScenarios.strictPoll(
        run, KIND.with(run, parking(2)), MpmcQueueScenarios::strictPoll);
  }

  @About("a queue that is never empty is never said to be by a strict poll")
  public void neverEmpty(Simulation run) {
    StampedScenarios.neverEmpty(run, KIND.with(run, 4), MpmcQueueScenarios::strictPoll);
  }

  @About("the same for a consumer that has seen another take a record: the next was there before")
  public void neverEmptyForTwo(Simulation run) {
    neverEmptyForTwo(run, KIND.with(run, 4), 1);
  }

  @About("the same, if a gap is passed on the way")
  public void neverEmptyBehindAGap(Simulation run) {
    neverEmptyForTwo(run, KIND.with(run, 4), 2);
  }

  /** The polls alone order the consumers: no record is released, for that would order them too. */
  private static void neverEmptyForTwo(Simulation run, QueueTraffic traffic, int count) {
    Flag offered = new Flag();
    Flag taken = new Flag();
    traffic.sender(2).offer();
    for (int i = 1; i < count; i++) {
      traffic.sender(1).claimAndAbort(1);
    }
    traffic.addProducer(
        0,
        sender -> {
          for (int i = 0; i < count; i++) {
            run.check(sender.offer(), "full");
          }
          offered.raise();
        });
    Taker[] takers = {traffic.newTaker(), traffic.newTaker(), traffic.newTaker()};
    run.thread(
        "first consumer",
        () -> {
          offered.await();
          for (int i = 0; i < count; i++) {
            Duo duo = takers[i].consumer.tryPoll();
            run.check(duo != null, "none, though it is never empty");
            takers[i].expect(duo);
            taken.hint();
          }
        });
    run.thread(
        "second consumer",
        () -> {
          taken.awaitHint(); // or it would nearly always be the first
          Duo duo = strictPoll(takers[2].consumer);
          run.check(duo != null, "empty, though it never is");
          takers[2].expect(duo);
        });
  }

  @About("a strict claim waits while the oldest slot is in a consumer's hands, and says full if so")
  public void strictClaim(Simulation run) {
    QueueTraffic traffic = KIND.with(run, parking(2));
    traffic.sender(2).offerRun(2);
    Flag taken = new Flag();
    traffic.addConsumers(
        1,
        slow -> slow.expect(slow.consumer.tryPoll()),
        slow -> taken.raise(),
        slow -> Thread.onSpinWait(),
        slow -> slow.consumer.release());
    traffic.addProducer(
        0,
        sender -> {
          boolean wasTaken = taken.isRaised();
          Duo duo = strictClaim(sender.producer);
          if (duo == null) {
            run.check(!wasTaken, "full though a record was taken");
          } else {
            sender.write(1);
            sender.producer.commit();
            sender.sent(1);
            run.check(strictClaim(sender.producer) == null, "claimed though full");
          }
        });
  }

  @About("a queue that is never full is never said to be: who puts a record took one before")
  public void neverFull(Simulation run) {
    QueueTraffic traffic = KIND.with(run, 2);
    Taker slow = traffic.newTaker();
    traffic.sender(2).offer();
    slow.expect(slow.consumer.tryPoll());
    traffic.sender(1).offer();
    Sender mine = traffic.sender(0);
    run.thread(
        "consumer, then producer",
        () -> run.check(traffic.taker.poll(), "none"),
        slow.consumer::release,
        () -> run.check(strictClaim(mine.producer) != null, "full of none"),
        () -> mine.write(1),
        mine.producer::commit,
        () -> mine.sent(1));
    Producer<Duo> other = traffic.sender(1).producer;
    run.thread(
        "producer",
        () -> run.check(strictClaim(other) != null, "full, though it never is"),
        other::abort);
  }

  // ---- waiting ----

  @About("producers and consumers that park are woken by each other")
  public void allPark(Simulation run) {
    StampedScenarios.allPark(KIND.with(run, parking(2)), 2);
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

  @About("a full queue that drops its oldest records loses none else, nor one that is being read")
  public void dropOldest(Simulation run) {
    QueueTraffic traffic = KIND.with(run, parking(2).withOnFull(OnFull.DROP_OLDEST));
    for (int letter = 0; letter < 2; letter++) {
      traffic.addProducer(letter, Sender::put, Sender::putRun);
    }
    traffic.addConsumers(1, 2);
    traffic.dropsOldest();
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

  @About("a record whose handler throws is consumed, the others stay, also for other consumers")
  public void handlerThrows(Simulation run) {
    QueueTraffic traffic = KIND.with(run, 4);
    Taker other = traffic.newTaker();
    traffic.addProducer(0, sender -> sender.offerRun(3));
    QueueScenarios.handlerThrows(run, traffic);
    run.thread("another consumer", other::poll);
  }

  // ---- stall limit ----

  @About("a late commit and two consumers that give up and pass: one wins, nothing is written over")
  public void lateCommit(Simulation run) {
    StampedScenarios.late(run, KIND, 2, 1, true, 2);
  }

  @About("the same of a run, in the midst of which nobody stops")
  public void lateRun(Simulation run) {
    StampedScenarios.late(run, KIND, 4, 2, true, 2);
  }

  @About("a late abort frees what was given up")
  public void lateAbort(Simulation run) {
    StampedScenarios.late(run, KIND, 4, 2, false, 2);
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
