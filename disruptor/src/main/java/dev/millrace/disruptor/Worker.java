package dev.millrace.disruptor;

import dev.millrace.disruptor.Pipeline.BatchHandler;

/** One thread of a stage. */
final class Worker<E> implements Runnable {
  private static final int FEW = 8; // events: a line's worth of small ones
  private static final int HINTS = 4;

  private final PipelineRun<E> run;
  private final PipelineGraph<E> graph;
  private final Stage<E> stage;
  private final int number;
  final SequenceConsumer consumer;
  private final SoleConsumer skipping; // null unless it passes over events when it lags
  private final BatchHandler<E> handler;
  private final Batch<E> batch;
  private final int largestBatch;

  final WorkCounts counts = new WorkCounts();

  private boolean isStarted;
  private boolean isSkipping;
  private boolean isTold; // the listener knows of the failure that ends it
  private long failing = -1; // the event whose failure is being dealt with; -1 if of none
  private long tried = -1; // the sequence that failed last
  private int tries; // how often

  @SuppressWarnings("unchecked") // a handler only reads from the batch that events are
  Worker(
      PipelineRun<E> run,
      PipelineGraph<E> graph,
      Stage<E> stage,
      int number,
      SequenceConsumer consumer,
      boolean skips) {
    this.run = run;
    this.graph = graph;
    this.stage = stage;
    this.number = number;
    this.consumer = consumer;
    this.skipping = skips ? (SoleConsumer) consumer : null;
    this.handler = (BatchHandler<E>) stage.handlers.get(number);
    int capacity = graph.ring.capacity();
    // a quarter at a time, or what it passes over would go far below the half, up to the newest
    int most = skips ? Math.max(1, capacity / 4) : capacity;
    this.largestBatch = Math.min(most, stage.largestBatch(capacity));
    this.batch = graph.ring.newBatch();
    if (stage.kind == Stage.Kind.SHARED_BY_KEY) {
      batch.pick(stage.key, number, stage.handlers.size(), largestBatch);
    }
  }

  Thread newThread() {
    Thread thread = graph.threads.newThread(this);
    if (thread == null) {
      throw new IllegalStateException("thread factory must make a thread: stage=" + stage.name);
    }
    thread.setName(graph.name + "-" + stage.name + "-" + number);
    return thread;
  }

  // ---- at work ----

  @Override
  public void run() {
    try (AutoCloseable _ = graph.hook.onThread(stage.name, number)) {
      work();
    } catch (Throwable e) {
      end(e);
    } finally {
      run.hasEnded(isStarted);
    }
  }

  /** Ends because of a failure, unless it is the interrupt of a close that is under way. */
  private void end(Throwable failure) {
    if (failure instanceof InterruptedException && graph.ring.sequencer.isStopped()) {
      return;
    }
    run.fail(stage.name, failing, failure);
    if (graph.listener == null) {
      report(failure);
    } else if (!isTold) {
      tell(-1, failure);
    }
    isTold = false; // of what may follow: onEnd, the hook's end
    failing = -1;
  }

  /** Without a listener a failure goes where those of all threads go, or nobody might notice it. */
  private void report(Throwable failure) {
    Thread thread = Thread.currentThread();
    thread
        .getUncaughtExceptionHandler()
        .uncaughtException(
            thread,
            new IllegalStateException(
                graph.name + ", " + PipelineRun.describe(stage.name, failing, failure), failure));
  }

  @SuppressWarnings("ReferenceEquality") // the very one
  private void tell(long sequence, Throwable failure) {
    if (graph.listener == null) {
      return;
    }
    isTold = true;
    try {
      graph.listener.onFailure(stage.name, sequence, failure);
    } catch (Throwable e) {
      if (e != failure) {
        e.addSuppressed(failure);
      }
      throw e;
    }
  }

  private void work() throws Throwable {
    handler.onStart();
    isStarted = true;
    run.hasStarted();
    try {
      handleAll();
    } catch (Throwable e) {
      end(e); // before onEnd, which may take long, or fail as well
    } finally {
      handler.onEnd();
    }
  }

  private void handleAll() throws Throwable {
    int count = consumer.poll(largestBatch, stage.timeoutNanos);
    while (count > 0 || !consumer.isDrained()) {
      if (count == 0) {
        handler.onTimeout();
      } else if (skipping != null && isFarBehind()) {
        counts.addSkipped(count); // before the release, behind which a warm-up takes the counts
        skipping.discard();
      } else {
        handle(count);
        consumer.release();
        if (count < FEW) {
          letMoreCome();
        }
      }
      count = consumer.poll(largestBatch, stage.timeoutNanos);
    }
  }

  /**
   * Who has handled the last event there was looks again only after some hundred nanoseconds: each
   * look takes the line of the sequence before away from its writer, who would come on by one event
   * a look. An event that comes long after the last is not delayed.
   */
  private static void letMoreCome() {
    for (int i = 0; i < HINTS; i++) {
      Thread.onSpinWait();
    }
  }

  /** Whether to make room: from three quarters of the ring on, down to a half. */
  private boolean isFarBehind() {
    long capacity = graph.ring.capacity();
    long lag = consumer.source() - consumer.sequence();
    isSkipping = lag > (isSkipping ? capacity / 2 : capacity * 3 / 4);
    return isSkipping;
  }

  private void handle(int count) throws Throwable {
    long sequence = consumer.sequence();
    long end = sequence + count;
    while (sequence < end) {
      sequence += batch.begin(sequence, (int) (end - sequence));
      handleBatch();
      if (batch.keyFailure() != null) {
        passUnkeyed(sequence, batch.keyFailure());
        sequence++;
      }
    }
  }

  /**
   * Does what the policy says of an event whose key function throws. It belongs to no worker by its
   * key, so one is chosen by its sequence, and the others pass it. There is no retry, since a key
   * function must return the same each time.
   */
  private void passUnkeyed(long sequence, Throwable failure) throws Throwable {
    if (!batch.answersFor(sequence)) {
      return;
    }
    failing = sequence;
    tell(sequence, failure);
    if (!isSkipped(failure)) {
      throw failure;
    }
    counts.addFailed();
    counts.addBatch(1);
    isTold = false;
    failing = -1;
  }

  /** Whether the policy lets the pipeline go on behind an event that has failed for good. */
  private boolean isSkipped(Throwable failure) {
    return failure instanceof Exception
        && !(failure instanceof InterruptedException)
        && stage.policy.skips();
  }

  private void handleBatch() throws Throwable {
    int size = batch.size();
    if (size == 0) {
      return; // none has a key of this worker
    }
    boolean isDone = false;
    while (!isDone) {
      try {
        handler.onBatch(batch);
        isDone = true;
      } catch (Throwable e) {
        isDone = isRecovered(e);
      }
    }
    counts.addBatch(size);
  }

  /** Does what the policy says; returns whether nothing is left of the batch. */
  private boolean isRecovered(Throwable failure) throws Throwable {
    long sequence = batch.failing();
    failing = sequence;
    tell(sequence, failure);
    if (!(failure instanceof Exception) || failure instanceof InterruptedException) {
      throw failure;
    }
    tries = sequence == tried ? tries + 1 : 1;
    tried = sequence;
    if (tries <= stage.policy.retries()) {
      counts.addRetry();
      batch.again();
      isTold = false;
      failing = -1;
      return false;
    }
    if (!isSkipped(failure)) {
      throw failure;
    }
    counts.addFailed();
    batch.skipFailed();
    isTold = false;
    failing = -1;
    return batch.size() == 0;
  }
}
