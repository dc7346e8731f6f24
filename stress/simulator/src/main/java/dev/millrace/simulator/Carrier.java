package dev.millrace.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;

/**
 * A thread of the JVM as one that runs executions, one at a time: which is under way, and what is
 * kept from one to the next, for to make it anew would cost as much as a short execution. Threads
 * share none of it, so that they explore side by side.
 */
final class Carrier {
  // A continuation runs on the thread that resumes it, and so finds that thread's.
  private static final ThreadLocal<Carrier> CURRENT = ThreadLocal.withInitial(Carrier::new);

  /** The execution under way; null if there is none. */
  Simulation running;

  /** The places of its memory by address; all null between executions. */
  final Location[] locations = new Location[NativeStore.BLOCK_BYTES];

  private final List<Thread> identities = new ArrayList<>();
  private final List<Thread> workers = new ArrayList<>();

  /** A worker of a pool that is never started. */
  private static final class Worker extends ForkJoinWorkerThread {
    private static final ForkJoinPool POOL = new ForkJoinPool(1);

    Worker(String name) {
      super(POOL);
      setName(name);
    }
  }

  private Carrier() {}

  static Carrier current() {
    return CURRENT.get();
  }

  /** The object of a simulated thread: kept from run to run, hence named by its number. */
  Thread identity(int id) {
    while (identities.size() < id) {
      String name = "simulated-" + (identities.size() + 1);
      identities.add(Thread.ofPlatform().name(name).unstarted(() -> {}));
    }
    return identities.get(id - 1);
  }

  /** The same for a worker of a pool. */
  Thread worker(int id) {
    while (workers.size() < id) {
      workers.add(new Worker("simulated-worker-" + (workers.size() + 1)));
    }
    return workers.get(id - 1);
  }
}
