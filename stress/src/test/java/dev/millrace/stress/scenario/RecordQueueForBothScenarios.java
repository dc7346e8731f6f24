package dev.millrace.stress.scenario;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.RecordQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** Queues of the JDK's interface for one producer and one consumer. */
@ScenariosOf(value = "RecordQueue", kind = "ForBoth")
public final class RecordQueueForBothScenarios extends RecordQueueScenarios {
  @Override
  <T extends Record> RecordQueue<T> queue(Class<T> type, QueueOptions options) {
    return RecordQueue.spsc(type, options);
  }

  @Override
  int producers() {
    return 1;
  }

  @Override
  int consumers() {
    return 1;
  }

  @About("a close frees nothing that is still to be taken, though the queue seemed empty")
  public void closeOfOne(Simulation run) {
    RecordTraffic traffic = traffic(run, 2);
    run.thread("producer", () -> untilClosed(run, number -> traffic.offer(0, number)));
    run.thread("owner", traffic.queue::close);
    run.thread("another owner", traffic.queue::close);
    traffic.addConsumer("consumer", 2);
  }
}
