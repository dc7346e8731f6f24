package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Traffic.check;

import dev.millrace.core.Sequence;
import java.lang.management.ManagementFactory;
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
  private static final com.sun.management.ThreadMXBean THREADS =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Work work;
  private final Stages<?> stages;
  private final long drainNanos;
  private final List<Producer> producers = new ArrayList<>();
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

  /** A thread that sends, and the number that it has come to. */
  private final class Producer implements Runnable {
    private final long first;
    private final Sequence next;
    private final Thread thread;

    Producer(int index) {
      this.first = (long) index << 40;
      this.next = new Sequence(first);
      this.thread = Thread.ofPlatform().name("producer-" + index).daemon().unstarted(this);
    }

    @Override
    public void run() {
      Ends sender = stages.sender();
      while (!stop) {
        long from = next.getPlain();
        next.setPlain(
            work.sends() == 1 ? sendSingles(sender, from) : sendRuns(sender, from, work.sends()));
      }
    }

    long count() {
      return next.getPlain() - first;
    }

    long sum() {
      return count() * first + count() * (count() - 1) / 2;
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
    for (int i = 0; i < work.producers(); i++) {
      producers.add(new Producer(i));
    }
    producers.forEach(producer -> producer.thread.start());
    TimeUnit.NANOSECONDS.sleep(warmupNanos);
    long handled = handled();
    long bytes = allocated();
    long begin = System.nanoTime();
    TimeUnit.NANOSECONDS.sleep(nanos);
    handled = handled() - handled;
    long took = System.nanoTime() - begin;
    bytes = allocated() - bytes;
    finish();
    return Measured.ofTraffic(handled * 1e9 / took, 0, 0, (double) bytes / Math.max(1, handled));
  }

  private void finish() throws InterruptedException {
    stop = true;
    for (Producer producer : producers) {
      producer.thread.join();
    }
    long count = producers.stream().mapToLong(Producer::count).sum();
    long sum = producers.stream().mapToLong(Producer::sum).sum();
    long deadline = System.nanoTime() + drainNanos;
    while (handled() < count && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    for (Task<?> task : stages.tasks()) {
      check("events that " + task + " has handled", task.count(), count);
      check("result of " + task, task.result(), task.expected(count, sum));
    }
  }

  /** How many events all handlers are through with. */
  private long handled() {
    return stages.tasks().stream().mapToLong(Task::count).min().orElseThrow();
  }

  private long allocated() {
    long bytes = 0;
    for (Thread thread : stages.threads()) {
      bytes += THREADS.getThreadAllocatedBytes(thread.threadId());
    }
    for (Producer producer : producers) {
      bytes += THREADS.getThreadAllocatedBytes(producer.thread.threadId());
    }
    return bytes;
  }
}
