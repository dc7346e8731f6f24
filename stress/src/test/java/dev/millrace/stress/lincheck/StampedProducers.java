package dev.millrace.stress.lincheck;

import dev.millrace.queues.OffHeapQueue;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/**
 * The producers' side of trials: the same for all queues of many producers. A kind adds the
 * consumers, of which it may have one or many.
 */
final class StampedProducers {
  private StampedProducers() {}

  /** On a queue that any thread completes. */
  public abstract static class Completed extends StampedOperations {
    Completed(OffHeapQueue<Triple> queue) {
      super(queue);
    }

    @Operation
    public void complete() {
      queue.complete();
    }
  }

  /** Single records and runs, commits and aborts. */
  @Param(name = "value", gen = Rising.class)
  public abstract static class Relaxed extends Completed {
    Relaxed(OffHeapQueue<Triple> queue) {
      super(queue);
    }

    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation
    public String offerRun(@Param(name = "value") long value) {
      return tryPutRun(value);
    }

    @Operation
    public String abort(@Param(name = "value") long value) {
      return tryAbort(value);
    }
  }

  /** Two producers that keep claims open from call to call. */
  @Param(name = "value", gen = Rising.class)
  public abstract static class Held extends Completed {
    private final Producer left = new Producer();
    private final Producer right = new Producer();

    Held(OffHeapQueue<Triple> queue) {
      super(queue);
    }

    @Operation(nonParallelGroup = "left")
    public String claimLeft() {
      return left.claim();
    }

    @Operation(nonParallelGroup = "left")
    public String commitLeft(@Param(name = "value") long value) {
      return left.commit(value);
    }

    @Operation(nonParallelGroup = "left")
    public String abortLeft() {
      return left.abort();
    }

    @Operation(nonParallelGroup = "right")
    public String claimRight() {
      return right.claim();
    }

    @Operation(nonParallelGroup = "right")
    public String commitRight(@Param(name = "value") long value) {
      return right.commit(value);
    }

    @Operation(nonParallelGroup = "right")
    public String abortRight() {
      return right.abort();
    }
  }
}
