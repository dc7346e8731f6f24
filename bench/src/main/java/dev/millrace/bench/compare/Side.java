package dev.millrace.bench.compare;

import dev.millrace.core.Sequence;
import java.time.Duration;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** One thread of a run and its counts, written now and then; each in lines of its own. */
final class Side {
  private static final int NUMBER_BITS = 40;

  private final Sequence records = new Sequence();
  private final Sequence failures = new Sequence();
  private final Sequence sum = new Sequence();
  private Thread thread;

  private Side() {}

  /** What a thread does. */
  interface Job {
    /**
     * Does it.
     *
     * @param index of the side in its list
     */
    void run(Side side, int index) throws InterruptedException;
  }

  /** Starts threads and adds their sides to a list. */
  static void start(List<Side> sides, int count, String name, Job job) {
    for (int i = 0; i < count; i++) {
      int index = i;
      Side side = new Side();
      sides.add(side);
      Runnable work =
          () -> {
            try {
              job.run(side, index);
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          };
      side.thread = Thread.ofPlatform().name(name + "-" + i).daemon().start(work);
    }
  }

  /** The first of the numbers that are no other side's of the list. */
  static long firstNumber(int index) {
    return (long) index << NUMBER_BITS;
  }

  /** Waits until the threads have ended. */
  static void join(List<Side> sides) throws InterruptedException {
    for (Side side : sides) {
      side.thread.join();
    }
  }

  /** Waits until the threads have ended, or for a time; returns whether they have. */
  static boolean join(List<Side> sides, long nanos) throws InterruptedException {
    long deadline = System.nanoTime() + nanos;
    for (Side side : sides) {
      long left = Math.max(1, deadline - System.nanoTime());
      if (!side.thread.join(Duration.ofNanos(left))) {
        return false;
      }
    }
    return true;
  }

  /** Adds what this thread has done since it added the last time. */
  void add(long moreRecords, long moreFailures, long moreSum) {
    // plain reads: only this thread writes them
    // opaque: read once the thread has stopped, or a moment's answer
    sum.setOpaque(sum.getPlain() + moreSum);
    failures.setOpaque(failures.getPlain() + moreFailures);
    records.setRelease(records.getPlain() + moreRecords);
  }

  /** How many records this thread has come to, for itself. */
  long records() {
    return records.getPlain(); // plain: only this thread writes it
  }

  static long count(List<Side> sides) {
    return total(sides, side -> side.records.getAcquire());
  }

  static long failures(List<Side> sides) {
    return total(sides, side -> side.failures.getOpaque());
  }

  static long sum(List<Side> sides) {
    return total(sides, side -> side.sum.getOpaque());
  }

  private static long total(List<Side> sides, ToLongFunction<Side> count) {
    return sides.stream().mapToLong(count).sum();
  }

  /** The sum over threads of what the JVM counts for each, by the thread's id. */
  static long total(LongUnaryOperator ofThread, List<Side> producers, List<Side> consumers) {
    return Stream.concat(producers.stream(), consumers.stream())
        .mapToLong(side -> ofThread.applyAsLong(side.thread.threadId()))
        .sum();
  }
}
