package dev.millrace.queues.internal;

import dev.millrace.core.internal.SharedSecret;
import dev.millrace.core.internal.ring.GatedClaims;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.messages.MessageQueue;

/** The parts of a {@link MessageQueue}; for the proofs. */
public interface MessageQueueAccess {
  /** Shared by {@link MessageQueue}. */
  SharedSecret<MessageQueueAccess> SECRET = new SharedSecret<>(MessageQueue.class);

  /** The claims of a queue's producers; null with one producer. */
  GatedClaims claims(MessageQueue queue);

  /** The stamps of a queue's cells, whatever its kind. */
  Stamps stamps(MessageQueue queue);

  /** The entries of a queue's cells, whatever its kind, in the same memory as the cells. */
  Ring entries(MessageQueue queue);

  /** Makes an spsc queue whose memory several processes map, as it is. */
  MessageQueue spsc(QueueOptions options, SharedRing shared);

  /** Makes an mpsc queue whose memory several processes map, as it is. */
  MessageQueue mpsc(QueueOptions options, SharedRing shared);

  /** How many bytes of memory a queue takes that several processes share, by its capacity. */
  long sharedBytes(long capacity);
}
