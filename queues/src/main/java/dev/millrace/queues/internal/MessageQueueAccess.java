package dev.millrace.queues.internal;

import dev.millrace.core.internal.SharedSecret;
import dev.millrace.core.internal.ring.GatedClaims;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.queues.messages.MessageQueue;

/** The parts of a {@link MessageQueue}; for the proofs. */
public interface MessageQueueAccess {
  /** Shared by {@link MessageQueue}. */
  SharedSecret<MessageQueueAccess> SECRET = new SharedSecret<>(MessageQueue.class);

  /**
   * The claims of its producers.
   *
   * @param queue of many producers
   * @return the claims; null with one producer
   */
  GatedClaims claims(MessageQueue queue);

  /**
   * The stamps of its cells.
   *
   * @param queue of any kind
   * @return the stamps
   */
  Stamps stamps(MessageQueue queue);

  /**
   * The entries of its cells, in the same memory as these.
   *
   * @param queue of any kind
   * @return the entries
   */
  Ring entries(MessageQueue queue);
}
