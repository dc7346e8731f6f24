package dev.millrace.disruptor;

import dev.millrace.disruptor.TestRing.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A handler that stops at its first event until it is let go, and notes the values it is given. */
final class HeldHandler implements BatchHandler<Event> {
  private static final long LIMIT_SECONDS = 10;

  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final List<Long> values = new ArrayList<>();

  @Override
  public void onBatch(Batch<Event> batch) throws InterruptedException {
    while (batch.next()) {
      reached.countDown();
      if (!released.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("never let go"); // so that a test that has failed ends
      }
      synchronized (values) {
        values.add(batch.event().value());
      }
    }
  }

  void awaitReached() throws InterruptedException {
    reached.await();
  }

  void letGo() {
    released.countDown();
  }

  List<Long> values() {
    synchronized (values) {
      return List.copyOf(values);
    }
  }
}
