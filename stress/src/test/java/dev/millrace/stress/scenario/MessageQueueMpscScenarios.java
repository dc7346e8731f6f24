package dev.millrace.stress.scenario;

import dev.millrace.core.Consumer;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.trial.MessageRecords;

/** Messages of one length, from many producers to one consumer. */
@ScenariosOf(value = "MessageQueue", kind = "Mpsc")
public final class MessageQueueMpscScenarios extends SoleConsumerScenarios {
  @Override
  QueueTraffic traffic(Simulation run, QueueOptions options) {
    MessageQueue queue = MessageQueue.mpsc(MessageRecords.inBytes(options));
    return MessageScenarios.traffic(run, queue, (int) options.capacity());
  }

  @Override
  int consumers() {
    return 1;
  }

  @Override
  int longestRevocableRun() {
    return 1;
  }

  @Override
  Duo strictPoll(Consumer<Duo> consumer) throws InterruptedException {
    return MessageRecords.strictPoll(consumer);
  }

  @Override
  @About("messages of other lengths, which would wrap, are as contiguous as those before")
  public void runsAreContiguous(Simulation run) {
    MessageScenarios.contiguous(run, MessageQueue.mpsc(MessageScenarios.LEAST));
  }

  @Override
  @About("a message that was given up is out of use as a whole; others take the rows beside it")
  public void runIsGivenUp(Simulation run) {
    MessageScenarios.givenUp(run, MessageQueue.mpsc(MessageScenarios.LIMITED));
  }
}
