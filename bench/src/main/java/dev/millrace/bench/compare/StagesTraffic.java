package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Traffic.check;

import dev.millrace.bench.compare.Traffic.Totals;
import dev.millrace.bench.harness.Jvm;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Events through stages, as fast as it goes, for a time. All that was sent must come past each
 * handler, and each must have come to the right result.
 */
final class StagesTraffic {
  private static final int EVENTS_PER_LOOK = 1_024;
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Work work;
  private final Stages<?> stages;
  private final long drainNanos;
  private final List<Side> producers = new ArrayList<>();
  private volatile boolean stop;

  StagesTraffic(Work work, Stages<?> stages) {
    this(work, stages, DRAIN_NANOS);
  }

  /** The same with another limit to how long handlers may take for what is left. */
  StagesTraffic(Work work, Stages<?> stages, long drainNanos) {
    this.work = work;
    this.stages = stages;
    this.drainNanos = drainNanos;
  }

  private void sendAll(Side side, int index) {
    Ends sender = stages.sender();
    long next = Side.firstNumber(index);
    while (!stop) {
      long end =
          work.sends() == 1 ? sendSingles(sender, next) : sendRuns(sender, next, work.sends());
      long count = end - next;
      side.add(count, 0, count * next + count * (count - 1) / 2);
      next = end;
    }
  }

  // ---- the loops that are measured, each in a small method of its own ----

  private static long sendSingles(Ends sender, long first) {
    for (int i = 0; i < EVENTS_PER_LOOK; i++) {
      sender.send(first + i);
    }
    return first + EVENTS_PER_LOOK;
  }

  private static long sendRuns(Ends sender, long first, int run) {
    long next = first;
    for (int i = 0; i < EVENTS_PER_LOOK; i += run) {
      next += sender.send(next, run);
    }
    return next;
  }

  /** Warms up, measures, lets the handlers do what is left, and checks. */
  Measured run(long warmupNanos, long nanos) throws InterruptedException {
    stages.start();
    Side.start(producers, work.producers(), "producer", this::sendAll);
    Measured measured =
        Totals.measure(
            () -> new Totals(handled(), System.nanoTime(), 0, 0, allocated(), 0, 0),
            warmupNanos,
            nanos);
    finish();
    return measured;
  }

  private void finish() throws InterruptedException {
    stop = true;
    Side.join(producers);
    long count = Side.count(producers);
    long deadline = System.nanoTime() + drainNanos;
    while (handled() < count && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    for (Task<?> task : stages.tasks) {
      check("events that " + task + " has handled", task.count(), count);
      check("result of " + task, task.result(), task.expected(count, Side.sum(producers)));
    }
  }

  /** How many events all handlers are through with. */
  private long handled() {
    return stages.tasks.stream().mapToLong(Task::count).min().orElseThrow();
  }

  private long allocated() {
    return Side.total(Jvm.THREADS::getThreadAllocatedBytes, producers, List.of())
        + stages.threads.stream()
            .mapToLong(thread -> Jvm.THREADS.getThreadAllocatedBytes(thread.threadId()))
            .sum();
  }
}
