package dev.millrace.simulator.listings;

import dev.millrace.simulator.Simulation;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A pipeline refuses events, handles what it has accepted, and stops. As listed, a publisher that
 * was not refused may still be about to claim.
 */
public class Shutdown extends Ring {
  volatile boolean accepting = true;
  volatile boolean running = true;

  private Shutdown(Simulation run) {
    super(run);
  }

  void publish() {
    if (accepting) {
      put(claimAny());
    }
  }

  void shutDown() {
    accepting = false;
    while (finished < claimed) {
      Thread.onSpinWait();
    }
    running = false;
  }

  private static final class Mended extends Shutdown {
    private static final VarHandle PUBLISHING =
        ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), "publishing", VarHandle.class, Mended.class, int.class);

    private volatile int publishing;

    Mended(Simulation run) {
      super(run);
    }

    @Override
    void publish() {
      int _ = (int) PUBLISHING.getAndAdd(this, 1); // before it reads the flag
      super.publish();
      int _ = (int) PUBLISHING.getAndAdd(this, -1);
    }

    @Override
    void shutDown() {
      accepting = false;
      while (publishing > 0) {
        Thread.onSpinWait();
      }
      super.shutDown();
    }
  }

  private void work() {
    long next = 0;
    while (running) {
      if (isPublished(next)) {
        take(next);
        finished = next;
        next++;
      } else {
        Thread.onSpinWait();
      }
    }
  }

  private void checkHandled() {
    long accepted = claimed + 1;
    long handled = finished + 1;
    run.check(handled == accepted, "events accepted: " + accepted + ", handled: " + handled);
  }

  public static void asListed(Simulation run) {
    start(run, new Shutdown(run));
  }

  public static void mended(Simulation run) {
    start(run, new Mended(run));
  }

  private static void start(Simulation run, Shutdown pipeline) {
    run.thread("publisher", pipeline::publish);
    run.thread("worker", pipeline::work);
    run.thread("owner", pipeline::shutDown);
    run.atEnd(pipeline::checkHandled);
  }
}
