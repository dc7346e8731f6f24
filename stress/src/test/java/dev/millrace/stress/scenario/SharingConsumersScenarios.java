package dev.millrace.stress.scenario;

import dev.millrace.core.OnFull;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.scenario.QueueTraffic.Sender;
import dev.millrace.stress.scenario.QueueTraffic.Taker;
import dev.millrace.stress.trial.AnyQueue;

/** What the stamped queues with many consumers have in common. */
public abstract class SharingConsumersScenarios extends StampedScenarios {
  @Override
  int consumers() {
    return 2;
  }

  @About("each record goes to one of two consumers, whole and in order; slots are reused when free")
  public void singles(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    traffic.addProducer(0, 3);
    traffic.addProducer(1, 3);
    traffic.addConsumers(2, 4);
  }

  @About("runs and single records, polled in runs, one by one, and drained, by two consumers")
  public void runsAndSingles(Simulation run) {
    QueueTraffic traffic = traffic(run, 4);
    addRunsAndSingles(traffic);
    traffic.addConsumers(2, pollRun(3), Taker::poll, drain(2), pollRun(2));
  }

  @About("a record in a consumer's hands stays as it is, though later ones are released before it")
  public void releaseOutOfOrder(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    traffic.addProducer(0, 4);
    Taker another = traffic.newTaker();
    traffic.addConsumers(
        1,
        taker -> {
          Duo first = taker.consumer.tryPoll();
          another.poll();
          taker.taken(first);
          another.pollRun(2);
        });
    Taker third = traffic.newTaker();
    run.thread("another consumer", third::poll, third::poll);
  }

  @About("the end is told to a parked consumer while another has the last record in hand")
  public void endWhileInHand(Simulation run) {
    QueueTraffic traffic = traffic(run, QueueTraffic.parking(2));
    AnyQueue<Duo> queue = traffic.queue;
    Flag.Plain beforeRelease = new Flag.Plain();
    Taker slow = traffic.newTaker();
    traffic.sender(0).offer();
    slow.expect(slow.consumer.tryPoll());
    traffic.addConsumers(2, Taker::takeAll);
    run.thread("closer", queue::complete);
    run.thread(
        "consumer with a record",
        () -> run.check(!queue.isDrained(), "drained though a record is in hand"),
        beforeRelease::set,
        slow.consumer::release);
    run.thread(
        "observer",
        () -> run.check(!queue.isDrained() || beforeRelease.isSet(), "release was not seen"));
    run.atEnd(() -> run.check(queue.isDrained(), "not drained"), traffic::checkAll);
  }

  // ---- strict forms ----

  @About("the same for a consumer that has seen another take a record: the next was there before")
  public void neverEmptyForTwo(Simulation run) {
    neverEmptyForTwo(run, 1);
  }

  @About("the same, if a gap is passed on the way")
  public void neverEmptyBehindAGap(Simulation run) {
    neverEmptyForTwo(run, 2);
  }

  /** The polls alone order the consumers: no record is released, for that would order them too. */
  private void neverEmptyForTwo(Simulation run, int count) {
    QueueTraffic traffic = traffic(run, 4);
    Flag offered = new Flag();
    Flag taken = new Flag();
    traffic.sender(2).offer();
    for (int i = 1; i < count; i++) {
      traffic.sender(1).claimAndAbort(1);
    }
    traffic.addProducer(
        0,
        QueueTraffic.times(count, sender -> run.check(sender.offer(), "full")),
        sender -> offered.raise());
    Taker[] takers = {traffic.newTaker(), traffic.newTaker(), traffic.newTaker()};
    run.thread(
        "first consumer",
        offered::await,
        rounds(
            count,
            i -> {
              Duo duo = takers[i].consumer.tryPoll();
              run.check(duo != null, "none, though it is never empty");
              takers[i].expect(duo);
              taken.hint();
            }));
    run.thread(
        "second consumer",
        taken::awaitHint, // or it would nearly always be the first
        () -> {
          Duo duo = strictPoll(takers[2].consumer);
          run.check(duo != null, "empty, though it never is");
          takers[2].expect(duo);
        });
    run.atEnd(
        rounds(count, i -> takers[i].consumer.release()),
        takers[2].consumer::release,
        traffic::checkAll);
  }

  @About("a full queue that drops its oldest records loses none else, nor one that is being read")
  public void dropOldest(Simulation run) {
    QueueTraffic traffic =
        traffic(run, QueueTraffic.parking(2).withOnFull(OnFull.DROP_OLDEST)).dropsOldest();
    traffic.addProducers(2, Sender::put, Sender::putRun);
    traffic.addConsumers(1, 2);
  }

  @About("a record whose handler throws is consumed, the others stay, also for other consumers")
  public void handlerThrows(Simulation run) {
    QueueTraffic traffic = traffic(run, 4);
    Taker other = traffic.newTaker();
    traffic.addProducer(0, offerRun(3));
    handlerThrows(run, traffic);
    run.thread("another consumer", other::poll);
  }
}
