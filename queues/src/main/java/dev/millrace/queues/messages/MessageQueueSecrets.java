package dev.millrace.queues.messages;

import dev.millrace.core.internal.ring.GatedClaims;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.internal.MessageQueueAccess;
import dev.millrace.queues.internal.SharedRing;

/** Gives the proofs access to package-private members of {@link MessageQueue}. */
final class MessageQueueSecrets implements MessageQueueAccess {
  @Override
  public GatedClaims claims(MessageQueue queue) {
    return queue.shared;
  }

  @Override
  public Stamps stamps(MessageQueue queue) {
    return queue.stamps;
  }

  @Override
  public Ring entries(MessageQueue queue) {
    return queue.ring;
  }

  @Override
  public MessageQueue spsc(QueueOptions options, SharedRing shared) {
    return MessageQueue.spsc(options, shared);
  }

  @Override
  public MessageQueue mpsc(QueueOptions options, SharedRing shared) {
    return MessageQueue.mpsc(options, shared);
  }

  @Override
  public MessageQueue mpmc(QueueOptions options, SharedRing shared) {
    return MessageQueue.mpmc(options, shared);
  }

  @Override
  public long lostCount(MessageQueue queue) {
    return queue.words.lostCount();
  }

  @Override
  public long inHandCount(MessageQueue queue) {
    return queue.words.inHandCount();
  }

  @Override
  public long sharedBytes(long capacity, boolean manyConsumers) {
    return MessageQueue.sharedBytes(capacity, manyConsumers);
  }
}
