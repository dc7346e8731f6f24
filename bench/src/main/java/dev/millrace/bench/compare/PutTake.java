package dev.millrace.bench.compare;

import com.sun.management.ThreadMXBean;
import dev.millrace.bench.Words;
import dev.millrace.core.Sequence;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;

/**
 * Records through a queue whose ends wait by themselves, for a time: how many, and what the threads
 * took of the processors, waits included. All that was put must be taken: told by the sum over all
 * fields.
 */
final class PutTake {
  private static final int RECORDS_PER_LOOK = 256;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Work work;
  private final Blocking queue;
  private final List<Side> producers = new ArrayList<>();
  private final List<Side> consumers = new ArrayList<>();
  private volatile boolean stop;

  PutTake(Work work, Blocking queue) {
    this.work = work.checked();
    this.queue = queue;
  }

  /** One thread and its counts, written now and then. */
  private static final class Side {
    private final Sequence records = new Sequence();
    private long sum; // read once the thread has stopped
    private Thread thread;
  }

  Measured run(long warmupNanos, long nanos) throws InterruptedException {
    List<Side> others = new ArrayList<>();
    if (work.shape() == Work.Shape.PUT_TAKE_BUSY) {
      for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
        start(others, "busy-" + i, side -> spin());
      }
    }
    for (int i = 0; i < work.consumers(); i++) {
      start(consumers, "consumer-" + i, this::takeAll);
    }
    for (int i = 0; i < work.producers(); i++) {
      long first = (long) i << 40;
      start(producers, "producer-" + i, side -> putAll(side, first));
    }
    TimeUnit.NANOSECONDS.sleep(warmupNanos);
    long records = count(consumers);
    long cpu = all(THREADS::getThreadCpuTime);
    long bytes = all(THREADS::getThreadAllocatedBytes);
    long begin = System.nanoTime();
    TimeUnit.NANOSECONDS.sleep(nanos);
    records = count(consumers) - records;
    cpu = all(THREADS::getThreadCpuTime) - cpu;
    bytes = all(THREADS::getThreadAllocatedBytes) - bytes;
    long took = System.nanoTime() - begin;
    finish();
    join(others);
    return Measured.ofTraffic(records * 1e9 / took, 0, 0, (double) bytes / records)
        .withCpu((double) cpu / records);
  }

  private static void start(List<Side> sides, String name, Consumer<Side> job) {
    Side side = new Side();
    sides.add(side);
    side.thread = Thread.ofPlatform().name(name).daemon().start(() -> job.accept(side));
  }

  private static void join(List<Side> sides) throws InterruptedException {
    for (Side side : sides) {
      side.thread.join();
    }
  }

  private void finish() throws InterruptedException {
    stop = true;
    join(producers);
    for (int i = 0; i < consumers.size(); i++) {
      queue.putEnd();
    }
    join(consumers);
    Traffic.check("records taken", count(consumers), count(producers));
    Traffic.check("sum of their fields", sum(consumers), sum(producers));
  }

  private void spin() {
    while (!stop) {
      Thread.onSpinWait();
    }
  }

  private void putAll(Side side, long first) {
    Sender sender = queue.sender();
    for (long next = first; !stop; next += RECORDS_PER_LOOK) {
      put(sender, next);
      side.sum += Words.sum(next, RECORDS_PER_LOOK);
      side.records.setOpaque(next + RECORDS_PER_LOOK - first); // opaque: a count
    }
  }

  private void takeAll(Side side) {
    Receiver receiver = queue.receiver();
    long records = 0;
    int got;
    do {
      receiver.batchSum = 0;
      got = receiver.receive(RECORDS_PER_LOOK);
      records += got;
      side.sum += receiver.batchSum;
      side.records.setOpaque(records); // opaque: a count
    } while (got == RECORDS_PER_LOOK);
  }

  /** Measured, hence in a method of its own. */
  private static void put(Sender sender, long first) {
    for (int i = 0; i < RECORDS_PER_LOOK; i++) {
      sender.send(first + i);
    }
  }

  /** The sum over the threads that put and take. */
  private long all(LongUnaryOperator ofThread) {
    return Stream.concat(producers.stream(), consumers.stream())
        .mapToLong(side -> ofThread.applyAsLong(side.thread.threadId()))
        .sum();
  }

  private static long count(List<Side> sides) {
    return sides.stream().mapToLong(side -> side.records.getOpaque()).sum(); // opaque: counts
  }

  private static long sum(List<Side> sides) {
    return sides.stream().mapToLong(side -> side.sum).sum();
  }
}
