package dev.millrace.stress.scenario;

import dev.millrace.core.OnFull;
import dev.millrace.queues.QueueOptions;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.scenario.QueueTraffic.Sender;
import dev.millrace.stress.scenario.QueueTraffic.Taker;
import dev.millrace.stress.trial.AnyQueue;

/** What queues with many producers have in common, however exact their order is. */
public abstract class ManyProducerScenarios extends QueueScenarios {
  /** How many consumers a scenario has. */
  abstract int consumers();

  @Override
  int producers() {
    return 2;
  }

  @About("whoever completes, consumers get each record whose claim came first, then the end")
  public void completeByThird(Simulation run) {
    QueueTraffic traffic = relaxed(run, QueueOptions.ofCapacity(4));
    AnyQueue<Duo> queue = traffic.queue;
    Flag.Plain before = new Flag.Plain();
    traffic.addProducers(
        3 - consumers(),
        sender -> {
          boolean wasCompleted = queue.isCompleted();
          boolean refused =
              refuses(
                  () -> {
                    sender.offer();
                    sender.offerRun(2);
                  });
          run.check(!refused || queue.isCompleted(), "refused though open");
          run.check(refused || !wasCompleted, "claimed though completed");
        });
    run.thread("closer", before::set, queue::complete);
    traffic.addConsumers(
        consumers(),
        Taker::takeAll,
        taker -> run.check(before.isSet(), "complete was not seen"),
        taker -> run.check(taker.consumer.poll() == null, "the end does not last"));
    run.thread(
        "observer",
        () -> {
          checkWithin(run, 0, queue.sizeEstimate(), 4, "size");
          run.check(!queue.isCompleted() || before.isSet(), "complete was not seen");
        });
    run.atEnd(() -> run.check(queue.isDrained(), "not drained"), traffic::checkAll);
  }

  @About("producers and consumers that park are woken by each other")
  public void allPark(Simulation run) {
    QueueTraffic traffic = relaxed(run, QueueTraffic.parking(2));
    Flag[] done = {new Flag(), new Flag()};
    for (int i = 0; i < 2; i++) {
      int letter = i;
      traffic.addProducer(
          letter,
          Sender::put,
          Sender::put,
          sender -> {
            done[letter].raise();
            if (done[1 - letter].isRaised()) {
              traffic.queue.complete();
            }
          });
    }
    traffic.addConsumers(consumers(), taker -> taker.take(4 / consumers()));
  }

  @About("where a full queue drops the newest, a claim does not wait")
  public void dropNewest(Simulation run) {
    QueueTraffic traffic =
        traffic(run, QueueOptions.ofCapacity(2).withOnFull(OnFull.DROP_NEWEST)).counted();
    traffic.addProducers(2, Sender::claimOrDrop, Sender::claimOrDrop);
    traffic.addConsumers(1, 2);
    run.thread("sampler", () -> run.check(traffic.metric("dropped") <= 4, "more than there were"));
  }
}
