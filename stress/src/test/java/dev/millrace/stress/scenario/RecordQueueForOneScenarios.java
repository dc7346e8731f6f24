package dev.millrace.stress.scenario;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.RecordQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** Queues of the JDK's interface for many producers and one consumer. */
@ScenariosOf(value = "RecordQueue", kind = "ForOne")
public final class RecordQueueForOneScenarios extends ManyPutScenarios {
  @Override
  <T extends Record> RecordQueue<T> queue(Class<T> type, QueueOptions options) {
    return RecordQueue.mpsc(type, options);
  }

  @Override
  int consumers() {
    return 1;
  }

  @About("put and take of threads that park at a queue for three: each is woken")
  public void allParkAtThree(Simulation run) {
    park(run, 3, 6);
  }
}
