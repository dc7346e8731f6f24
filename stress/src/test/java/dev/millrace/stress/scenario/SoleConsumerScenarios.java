package dev.millrace.stress.scenario;

import dev.millrace.core.Producer;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.scenario.QueueTraffic.Sender;
import dev.millrace.stress.scenario.QueueTraffic.Taker;
import java.time.Duration;

/** What the stamped queues with one consumer have in common. */
public abstract class SoleConsumerScenarios extends StampedScenarios {
  @Override
  int consumers() {
    return 1;
  }

  @About("two producers' records through two slots: each once, in order, whole; slots are reused")
  public void singles(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    traffic.addProducer(0, 3);
    traffic.addProducer(1, 3);
    traffic.addConsumers(1, 6);
  }

  @About("runs and single records of two producers, polled in runs, one by one, and drained")
  public void runsAndSingles(Simulation run) {
    QueueTraffic traffic = traffic(run, 4);
    addRunsAndSingles(traffic);
    traffic.addConsumers(1, Taker::poll, pollRun(3), drain(2), pollRun(4), Taker::poll, drain(1));
  }

  @About("a producer may write where another has seen that the consumer is through")
  public void limitIsHandedOn(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    fill(traffic.sender(2));
    traffic.addConsumers(1, pollRun(2));
    traffic.addProducer(0, 1);
    traffic.addProducer(1, 2);
  }

  @About("a queue that is never full is never said to be: who puts a record took one before")
  public void neverFull(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
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

  @About("a claim and a poll with a time limit give up when it has passed")
  public void timeLimit(Simulation run) {
    QueueTraffic traffic = traffic(run, QueueTraffic.parking(2));
    Producer<Duo> slow = claimed(run, traffic, 2);
    Duration limit = Duration.ofNanos(1_000);
    traffic.addProducer(
        0, sender -> run.check(sender.producer.claim(limit) == null, "claimed though full"));
    traffic.addConsumers(
        1, taker -> run.check(taker.consumer.poll(limit) == null, "polled though none is there"));
    run.atEnd(slow::abort, traffic::checkAll);
  }

  @About("a record whose handler throws is consumed, the later ones stay")
  public void handlerThrows(Simulation run) {
    QueueTraffic traffic = traffic(run, 4);
    traffic.addProducer(0, 2);
    traffic.addProducer(1, offerRun(2));
    handlerThrows(run, traffic);
  }
}
