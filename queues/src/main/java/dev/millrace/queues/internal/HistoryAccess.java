package dev.millrace.queues.internal;

import dev.millrace.core.internal.SharedSecret;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.history.HistoryRing;

/** Gives the proofs access to the parts of a {@link HistoryRing}. */
public interface HistoryAccess {
  /** Shared by {@link HistoryRing}. */
  SharedSecret<HistoryAccess> SECRET = new SharedSecret<>(HistoryRing.class);

  /** Makes a ring whose memory several processes map, as it is. */
  <T> HistoryRing<T> attach(FlyweightType<T> type, SharedHistory shared);
}
