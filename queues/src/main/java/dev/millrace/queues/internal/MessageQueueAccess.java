package dev.millrace.queues.internal;

import dev.millrace.core.internal.SharedSecret;
import dev.millrace.core.internal.ring.GatedClaims;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.messages.MessageQueue;

/** Gives the proofs access to the parts of a {@link MessageQueue}. */
public interface MessageQueueAccess {
  /** Shared by {@link MessageQueue}. */
  SharedSecret<MessageQueueAccess> SECRET = new SharedSecret<>(MessageQueue.class);

  /** Returns the claims of a queue's producers; null if the queue has one producer. */
  GatedClaims claims(MessageQueue queue);

  /** Returns the stamps of a queue's cells, whatever kind of queue it is. */
  Stamps stamps(MessageQueue queue);

  /**
   * Returns the entries of a queue's cells, whatever kind of queue it is. They are in the same
   * memory as the cells.
   */
  Ring entries(MessageQueue queue);

  /** Makes an spsc queue whose memory several processes map, as it is. */
  MessageQueue spsc(QueueOptions options, SharedRing shared);

  /** Makes an mpsc queue whose memory several processes map, as it is. */
  MessageQueue mpsc(QueueOptions options, SharedRing shared);

  /** Makes an mpmc queue whose memory several processes map, as it is. */
  MessageQueue mpmc(QueueOptions options, SharedRing shared);

  /** Returns how many messages of a queue in shared memory were lost. */
  long lostCount(MessageQueue queue);

  /** Returns how many cells the consumer of a queue in shared memory has in hand. */
  long inHandCount(MessageQueue queue);

  /** How many bytes of memory a queue takes that several processes share. */
  long sharedBytes(long capacity, boolean manyConsumers);
}
