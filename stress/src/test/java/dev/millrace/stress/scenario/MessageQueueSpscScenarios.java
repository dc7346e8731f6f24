package dev.millrace.stress.scenario;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.trial.MessageRecords;

/** Messages of one length, from one producer to one consumer. */
@ScenariosOf(value = "MessageQueue", kind = "Spsc")
public final class MessageQueueSpscScenarios extends QueueScenarios {
  @Override
  QueueTraffic traffic(Simulation run, QueueOptions options) {
    MessageQueue queue = MessageQueue.spsc(MessageRecords.inBytes(options));
    return MessageScenarios.traffic(run, queue, (int) options.capacity());
  }

  @Override
  int producers() {
    return 1;
  }
}
