package dev.millrace.bench.compare;

import dev.millrace.core.Sequence;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.function.ObjLongConsumer;
import java.util.stream.Stream;

/** One thread of a run and its counts, written now and then; each in lines of its own. */
final class Side {
  private static final int NUMBER_BITS = 40;

  private final Sequence records = new Sequence();
  private final Sequence failures = new Sequence();
  private final Sequence sum = new Sequence();
  private Thread thread;

  private Side() {}

  /**
   * Starts threads and adds their sides to a list.
   *
   * @param job gets its side, and the first of numbers that no other thread of the list has
   */
  static void start(List<Side> sides, int count, String name, ObjLongConsumer<Side> job) {
    for (int i = 0; i < count; i++) {
      long first = (long) i << NUMBER_BITS;
      Side side = new Side();
      sides.add(side);
      side.thread =
          Thread.ofPlatform().name(name + "-" + i).daemon().start(() -> job.accept(side, first));
    }
  }

  /** Waits until the threads have ended. */
  static void join(List<Side> sides) throws InterruptedException {
    for (Side side : sides) {
      side.thread.join();
    }
  }

  void publish(long itsRecords, long itsFailures, long itsSum) {
    sum.setOpaque(itsSum); // opaque: read once the thread has stopped, or a moment's answer
    failures.setOpaque(itsFailures); // opaque: as above
    records.setRelease(itsRecords);
  }

  static long count(List<Side> sides) {
    return sides.stream().mapToLong(side -> side.records.getAcquire()).sum();
  }

  static long failures(List<Side> sides) {
    return sides.stream().mapToLong(side -> side.failures.getOpaque()).sum();
  }

  static long sum(List<Side> sides) {
    return sides.stream().mapToLong(side -> side.sum.getOpaque()).sum();
  }

  /** The sum over threads of what the JVM counts for each, by the thread's id. */
  static long total(LongUnaryOperator ofThread, List<Side> producers, List<Side> consumers) {
    return Stream.concat(producers.stream(), consumers.stream())
        .mapToLong(side -> ofThread.applyAsLong(side.thread.threadId()))
        .sum();
  }
}
