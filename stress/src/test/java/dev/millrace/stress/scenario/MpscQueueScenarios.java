package dev.millrace.stress.scenario;

import dev.millrace.core.Consumer;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.MpscConsumer;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.trial.AnyQueue;

/** Many producers and one consumer, through their ends and views of an interface. */
@ScenariosOf("MpscQueue")
public final class MpscQueueScenarios extends SoleConsumerScenarios {
  @Override
  QueueTraffic traffic(Simulation run, QueueOptions options) {
    MpscQueue<Duo> queue = MpscQueue.of(FlyweightType.of(Duo.class), options);
    return new QueueTraffic(run, new AnyQueue<>(queue));
  }

  @Override
  Duo strictPoll(Consumer<Duo> consumer) throws InterruptedException {
    return ((MpscConsumer<Duo>) consumer).strictPoll();
  }
}
