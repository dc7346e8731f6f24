package dev.millrace.disruptor;

import dev.millrace.disruptor.internal.Latency;
import dev.millrace.disruptor.internal.WorkCounts;
import dev.millrace.disruptor.internal.WorkCounts.Kind;
import dev.millrace.flyweight.internal.Checks;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/** One thread of a stage. */
final class Worker<E> implements Runnable {
  private static final int FEW = 64; // events
  private static final int LEAST_HINTS = 4;
  private static final int MOST_HINTS = 16;

  private final Pipeline<E> pipeline;
  private final PipelineBuilder<E> plan;
  private final Stage<E> stage;
  private final int number;
  final SequenceConsumer consumer;
  private final @Nullable SoleConsumer skipping; // null unless the worker skips events when it lags
  private final BatchHandler<E> handler;
  private final @Nullable ObjLongConsumer<? super Throwable> listener; // null if there is none
  private final Batch<E> batch;
  private final int largestBatch;
  private final Latency.Recorder[] latencies; // empty if they are not measured

  final WorkCounts counts = new WorkCounts();

  private final Runner runner = new Runner();
  private int hints = LEAST_HINTS;
  private boolean isStarted;
  private boolean isSkipping;
  private boolean isTold; // whether the listener got the failure that ends the worker
  private long failing = -1; // the event whose failure is being handled, or -1
  private long tried = -1; // the sequence that failed last
  private int tries; // of that sequence

  @SuppressWarnings("unchecked") // a handler only reads events from the batch
  Worker(
      Pipeline<E> pipeline,
      PipelineBuilder<E> plan,
      Stage<E> stage,
      SequenceConsumer consumer,
      @Nullable ObjLongConsumer<? super Throwable> listener) {
    this.pipeline = pipeline;
    this.plan = plan;
    this.stage = stage;
    this.number = stage.workers.size();
    this.consumer = consumer;
    this.listener = listener;
    this.latencies =
        stage.latencies.stream().map(Latency::newRecorder).toArray(Latency.Recorder[]::new);
    this.skipping = stage.dropsOldest ? (SoleConsumer) consumer : null;
    this.handler = (BatchHandler<E>) stage.handlers.get(number);
    int capacity = plan.ring.capacity();
    // a quarter at a time, because skipping more could go far below half, even up to the newest
    // event
    int most = stage.dropsOldest ? Math.max(1, capacity / 4) : capacity;
    this.largestBatch = Math.min(most, stage.largestBatch(capacity));
    this.batch = plan.ring.newBatch();
    if (stage.kind == Stage.Kind.SHARED_BY_KEY) {
      batch.pick(stage.key, number, stage.handlers.size(), largestBatch);
    }
  }

  Thread newThread() {
    Thread thread = plan.threads.newThread(this);
    if (thread == null) {
      throw new IllegalStateException(
          "thread factory must make a thread: stage=" + Checks.shown(stage.name));
    }
    thread.setName(Checks.shown(plan.name) + "-" + Checks.shown(stage.name) + "-" + number);
    return thread;
  }

  // ---- at work ----

  /** Returns whether {@code caller}, which must be the calling thread, runs this worker. */
  boolean isRunBy(Thread caller) {
    return runner.is(caller);
  }

  @Override
  public void run() {
    runner.begin(); // not the thread made for it: a factory may pass the worker on
    try (AutoCloseable _ = plan.hook.apply(stage.name, number)) {
      work();
    } catch (Throwable e) {
      end(e);
    } finally {
      runner.end();
      pipeline.hasEnded(isStarted);
    }
  }

  private void work() throws Throwable {
    handler.onStart();
    isStarted = true;
    pipeline.hasStarted();
    try {
      handleAll();
    } catch (Throwable e) {
      end(e); // before onEnd, which may take a long time, or fail as well
    } finally {
      handler.onEnd();
    }
  }

  private void handleAll() throws Throwable {
    int count = nextBatch(0);
    while (count > 0 || !consumer.isDrained()) {
      if (count == 0) {
        handler.onTimeout();
      } else if (skipping != null && isFarBehind()) {
        counts.add(Kind.SKIPPED, count); // before the release, after which a warm-up reads it
        skipping.discard();
      } else {
        handle(count);
        for (Latency.Recorder latency : latencies) {
          latency.record(consumer.sequence(), consumer.sequence() + count);
        }
        consumer.release();
      }
      count = nextBatch(count);
    }
  }

  /**
   * Waits for the next events. Polling directly after a small batch steals the upstream sequence's
   * cache line, and limits its writer to a few events per poll. The worker therefore backs off
   * first: for about 100 ns, and up to four times that while each poll finds several events. A lone
   * event is not delayed, but a reply to the previous event is delayed slightly.
   */
  private int nextBatch(int last) throws InterruptedException {
    if (last > 0 && last < FEW) {
      for (int i = 0; i < hints; i++) {
        Thread.onSpinWait();
      }
    }
    int count = consumer.tryPoll(largestBatch);
    hints = count > 1 ? Math.min(2 * hints, MOST_HINTS) : LEAST_HINTS;
    return count > 0 ? count : consumer.await(largestBatch, stage.timeoutNanos);
  }

  /**
   * Returns whether to make room. Skipping starts at a lag of three quarters of the ring and stops
   * at half.
   */
  private boolean isFarBehind() {
    long capacity = plan.ring.capacity();
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

  private void handleBatch() throws Throwable {
    int size = batch.size();
    if (size == 0) {
      return; // no event has a key of this worker
    }
    boolean isDone = false;
    while (!isDone) {
      try {
        handler.onBatch(batch);
        isDone = true;
      } catch (Throwable e) {
        batch.goOn(isRetried(e, batch.sequence(), stage.retries));
        isDone = batch.size() == 0;
      }
    }
    counts.add(Kind.EVENTS, size);
    counts.add(Kind.BATCHES, 1);
  }

  /**
   * Handles the failure of an event whose key function throws. Without a key, the event belongs to
   * no worker, so its sequence chooses one, and the others skip it. There is no retry, because a
   * key function must return the same key each time.
   */
  private void passUnkeyed(long sequence, Throwable failure) throws Throwable {
    if (batch.isReporterOf(sequence)) {
      boolean _ = isRetried(failure, sequence, 0);
      counts.add(Kind.EVENTS, 1);
      counts.add(Kind.BATCHES, 1);
    }
  }

  // ---- failures ----

  /**
   * Returns whether to retry an event that has failed. If not, the event is skipped. Rethrows the
   * failure if neither is allowed.
   */
  private boolean isRetried(Throwable failure, long sequence, int retries) throws Throwable {
    failing = sequence;
    tell(failure);
    tries = sequence == tried ? tries + 1 : 1;
    tried = sequence;
    boolean mayGoOn = failure instanceof Exception && !(failure instanceof InterruptedException);
    boolean isRetried = mayGoOn && tries <= retries;
    if (!isRetried && !(mayGoOn && stage.skipsFailures)) {
      throw failure;
    }
    counts.add(isRetried ? Kind.RETRIES : Kind.FAILED, 1);
    isTold = false;
    failing = -1;
    return isRetried;
  }

  @SuppressWarnings("ReferenceEquality") // identity is meant
  private void tell(Throwable failure) {
    if (listener == null) {
      return;
    }
    isTold = true;
    try {
      listener.accept(failure, failing);
    } catch (Throwable e) {
      if (e != failure) {
        e.addSuppressed(failure);
      }
      throw e;
    }
  }

  /** Ends the worker because of a failure, unless that is an interrupt from a close in progress. */
  private void end(Throwable failure) {
    if (failure instanceof InterruptedException && plan.ring.sequencer.isStopped()) {
      return;
    }
    String words = describe(failure);
    pipeline.fail(words, failure);
    if (listener == null) {
      report(new IllegalStateException(Checks.shown(plan.name) + ", " + words, failure));
    } else if (!isTold) {
      tell(failure);
    }
    isTold = false; // onEnd and closing the hook's resource may still fail
    failing = -1;
  }

  private String describe(Throwable failure) {
    String where = failing < 0 ? " failed: " : " failed at sequence " + failing + ": ";
    return "stage \"" + Checks.shown(stage.name) + "\"" + where + failure;
  }

  /**
   * Passes {@code failure} to the uncaught-exception handler, so that it is noticed without a
   * listener.
   */
  private static void report(IllegalStateException failure) {
    Thread thread = Thread.currentThread();
    thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
  }
}
