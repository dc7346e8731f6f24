package dev.millrace.queues.messages;

import dev.millrace.core.internal.ring.GatedClaims;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.queues.internal.MessageQueueAccess;

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
}
