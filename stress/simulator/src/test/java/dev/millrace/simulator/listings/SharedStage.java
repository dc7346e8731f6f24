package dev.millrace.simulator.listings;

import dev.millrace.simulator.Simulation;
import java.util.List;

/**
 * Two workers share the events of a stage in turn, and the next stage follows both. As listed, one
 * number stands for both: the largest that either has finished.
 */
public class SharedStage extends Ring {
  private static final int WORKERS = 2;

  SharedStage(Simulation run) {
    super(run);
  }

  void finish(long sequence) {
    long last;
    do {
      last = finished;
      if (last >= sequence) {
        return;
      }
    } while (!FINISHED.compareAndSet(this, last, sequence));
  }

  /** The number up to which the stage has finished all events. */
  long allFinished() {
    return finished;
  }

  static final class Mended extends SharedStage {
    private final List<Worker> workers = List.of(new Worker(0), new Worker(1));

    Mended(Simulation run) {
      super(run);
    }

    @Override
    void finish(long sequence) {
      workers.get((int) (sequence % WORKERS)).next = sequence + WORKERS;
    }

    @Override
    long allFinished() {
      return Math.min(workers.get(0).next, workers.get(1).next) - 1;
    }
  }

  private static final class Worker {
    volatile long next;

    Worker(long first) {
      next = first;
    }
  }

  private void enrich() {
    for (long sequence = 0; sequence < SIZE; sequence++) {
      while (allFinished() < sequence) {
        Thread.onSpinWait();
      }
      run.check(slot(sequence).isParsed, "event is not parsed: " + sequence);
    }
  }

  /** A publisher, of a stage that is the last. */
  void publish() {
    long sequence = claimAny();
    while (allFinished() < sequence - SIZE) {
      Thread.onSpinWait();
    }
    put(sequence);
  }

  public static void asListed(Simulation run) {
    start(run, new SharedStage(run));
  }

  public static void mended(Simulation run) {
    start(run, new Mended(run));
  }

  private static void start(Simulation run, SharedStage stage) {
    stage.fill();
    run.thread("parser 0", () -> stage.slot(0).isParsed = true, () -> stage.finish(0));
    run.thread("parser 1", () -> stage.slot(1).isParsed = true, () -> stage.finish(1));
    run.thread("enricher", stage::enrich);
  }
}
