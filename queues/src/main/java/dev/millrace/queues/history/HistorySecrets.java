package dev.millrace.queues.history;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.internal.HistoryAccess;
import dev.millrace.queues.internal.SharedHistory;

/** Gives the proofs access to package-private members of {@link HistoryRing}. */
final class HistorySecrets implements HistoryAccess {
  @Override
  public <T> HistoryRing<T> attach(FlyweightType<T> type, SharedHistory shared) {
    return HistoryRing.attach(type, shared);
  }
}
