package dev.millrace.stress;

import dev.millrace.core.Producer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What has become of the claims that a {@link StalledSoak} left open; for any thread. */
final class StalledClaims {
  private final Queue<Producer<Entry>> forGood = new ConcurrentLinkedQueue<>();
  private final AtomicInteger slotsForGood = new AtomicInteger();
  private final AtomicLong lateSlots = new AtomicLong();

  /** Keeps a claim that nobody will end while the queue is open. */
  void hold(Producer<Entry> claim, int count) {
    forGood.add(claim);
    slotsForGood.addAndGet(count);
  }

  /** Forgets a claim that somebody will end after all. */
  void letGo(Producer<Entry> claim, int count) {
    forGood.remove(claim);
    slotsForGood.addAndGet(-count);
  }

  /** Counts the slots of a claim that was ended after it had been given up. */
  void cameBack(int count) {
    lateSlots.addAndGet(count);
  }

  /** The claims that nobody will end. */
  Iterable<Producer<Entry>> held() {
    return forGood;
  }

  /** How many slots the claims have that nobody will end. */
  int slotsForGood() {
    return slotsForGood.get();
  }

  /** How many slots had been given up when their claims were ended. */
  long lateSlots() {
    return lateSlots.get();
  }
}
