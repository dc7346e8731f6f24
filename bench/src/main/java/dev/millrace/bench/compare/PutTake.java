package dev.millrace.bench.compare;

import com.sun.management.ThreadMXBean;
import dev.millrace.bench.Words;
import dev.millrace.bench.compare.References.Blocking;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

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

  Measured run(long warmupNanos, long nanos) throws InterruptedException {
    List<Side> others = new ArrayList<>();
    if (work.shape() == Work.Shape.PUT_TAKE_BUSY) {
      int processors = Runtime.getRuntime().availableProcessors();
      Side.start(others, processors, "busy", (side, first) -> spin());
    }
    Side.start(consumers, work.consumers(), "consumer", (side, first) -> takeAll(side));
    Side.start(producers, work.producers(), "producer", this::putAll);
    TimeUnit.NANOSECONDS.sleep(warmupNanos);
    long records = Side.count(consumers);
    long cpu = Side.total(THREADS::getThreadCpuTime, producers, consumers);
    long bytes = Side.total(THREADS::getThreadAllocatedBytes, producers, consumers);
    long begin = System.nanoTime();
    TimeUnit.NANOSECONDS.sleep(nanos);
    records = Side.count(consumers) - records;
    cpu = Side.total(THREADS::getThreadCpuTime, producers, consumers) - cpu;
    bytes = Side.total(THREADS::getThreadAllocatedBytes, producers, consumers) - bytes;
    long took = System.nanoTime() - begin;
    finish();
    Side.join(others);
    double some = Math.max(1, records); // of none there is nothing per record
    return Measured.ofTraffic(records * 1e9 / took, 0, 0, bytes / some).withCpu(cpu / some);
  }

  private void finish() throws InterruptedException {
    stop = true;
    Side.join(producers);
    for (int i = 0; i < consumers.size(); i++) {
      queue.putEnd();
    }
    Side.join(consumers);
    Traffic.check("records taken", Side.count(consumers), Side.count(producers));
    Traffic.check("sum of their fields", Side.sum(consumers), Side.sum(producers));
  }

  private void spin() {
    while (!stop) {
      Thread.onSpinWait();
    }
  }

  private void putAll(Side side, long first) {
    Ends sender = queue.sender();
    long next = first;
    long sum = 0;
    while (!stop) {
      put(sender, next);
      sum += Words.sum(next, RECORDS_PER_LOOK);
      next += RECORDS_PER_LOOK;
      side.publish(next - first, 0, sum);
    }
  }

  private void takeAll(Side side) {
    Ends receiver = queue.receiver();
    long records = 0;
    long sum = 0;
    int got;
    do {
      receiver.runSum = 0;
      got = take(receiver);
      records += got;
      sum += receiver.runSum;
      side.publish(records, 0, sum);
    } while (got == RECORDS_PER_LOOK);
  }

  // ---- what is measured, each in a method of its own ----

  private static void put(Ends sender, long first) {
    try {
      for (int i = 0; i < RECORDS_PER_LOOK; i++) {
        sender.put(first + i);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns how many: fewer than a run at the end. */
  private static int take(Ends receiver) {
    try {
      int count = 0;
      long sum;
      while (count < RECORDS_PER_LOOK && (sum = receiver.take()) != Ends.NONE) {
        receiver.runSum += sum;
        count++;
      }
      return count;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
