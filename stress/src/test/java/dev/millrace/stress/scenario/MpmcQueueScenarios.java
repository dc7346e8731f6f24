package dev.millrace.stress.scenario;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.MpmcConsumer;
import dev.millrace.queues.MpmcProducer;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.scenario.QueueTraffic.Sender;
import dev.millrace.stress.scenario.QueueTraffic.Taker;
import dev.millrace.stress.trial.AnyQueue;

/** Many producers and many consumers, through their ends and views of an interface. */
@ScenariosOf("MpmcQueue")
public final class MpmcQueueScenarios extends SharingConsumersScenarios {
  @Override
  QueueTraffic traffic(Simulation run, QueueOptions options) {
    MpmcQueue<Duo> queue = MpmcQueue.of(FlyweightType.of(Duo.class), options);
    return new QueueTraffic(run, new AnyQueue<>(queue));
  }

  @Override
  Duo strictPoll(Consumer<Duo> consumer) throws InterruptedException {
    return ((MpmcConsumer<Duo>) consumer).strictPoll();
  }

  private static Duo strictClaim(Producer<Duo> producer) throws InterruptedException {
    return ((MpmcProducer<Duo>) producer).strictClaim();
  }

  // ---- strict forms ----

  @About("a strict claim waits while the oldest slot is in a consumer's hands, and says full if so")
  public void strictClaim(Simulation run) {
    QueueTraffic traffic = traffic(run, QueueTraffic.parking(2));
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
          boolean sent = sender.commit(strictClaim(sender.producer));
          run.check(sent || !wasTaken, "full though a record was taken");
          run.check(!sent || strictClaim(sender.producer) == null, "claimed though full");
        });
  }

  @About("a queue that is never full is never said to be: who puts a record took one before")
  public void neverFull(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    Taker slow = traffic.newTaker();
    traffic.sender(2).offer();
    slow.expect(slow.consumer.tryPoll());
    traffic.sender(1).offer();
    Sender mine = traffic.sender(0);
    run.thread(
        "consumer, then producer",
        () -> run.check(traffic.taker.poll(), "none"),
        slow.consumer::release,
        () -> run.check(mine.commit(strictClaim(mine.producer)), "full of none"));
    Producer<Duo> other = traffic.sender(1).producer;
    run.thread(
        "producer",
        () -> run.check(strictClaim(other) != null, "full, though it never is"),
        other::abort);
  }
}
