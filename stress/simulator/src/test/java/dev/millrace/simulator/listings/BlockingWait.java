package dev.millrace.simulator.listings;

import dev.millrace.simulator.Simulation;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A consumer sleeps until a publisher signals a condition. As listed, no publisher does. */
public class BlockingWait extends Ring {
  final ReentrantLock lock = new ReentrantLock();
  final Condition published = lock.newCondition();

  private BlockingWait(Simulation run) {
    super(run);
  }

  void publish() {
    put(claimAny());
  }

  private static final class Mended extends BlockingWait {
    Mended(Simulation run) {
      super(run);
    }

    @Override
    void publish() {
      super.publish();
      lock.lock();
      try {
        published.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private void consume() throws InterruptedException {
    if (!isPublished(0)) {
      lock.lock();
      try {
        while (!isPublished(0)) {
          published.await();
        }
      } finally {
        lock.unlock();
      }
    }
    take(0);
  }

  public static void asListed(Simulation run) {
    start(run, new BlockingWait(run));
  }

  public static void mended(Simulation run) {
    start(run, new Mended(run));
  }

  private static void start(Simulation run, BlockingWait wait) {
    run.thread("publisher", wait::publish);
    run.thread("consumer", wait::consume);
  }
}
