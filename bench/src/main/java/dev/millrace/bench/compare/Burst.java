package dev.millrace.bench.compare;

import dev.millrace.bench.Words;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.core.Sequence;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Bursts of records to a consumer that waits for them. Timed is each burst, from before its first
 * record is sent until the producer sees that the last has been received; then the next begins. The
 * consumer tells of a burst once, at its end, so that to tell costs every contender the same.
 */
final class Burst {
  private static final int BURSTS_PER_LOOK = 64;
  private static final int ATTEMPTS_PER_LOOK = 1_024;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Contender contender;
  private final int size;
  private final Idle idle;
  private final Sequence received = new Sequence();
  private volatile boolean stop;

  /**
   * Makes a run.
   *
   * @param work one with one producer and one consumer, and no more records sent at once than its
   *     queue holds
   * @param idle how often a side pauses after an attempt in vain
   */
  Burst(Work work, Contender contender, int idle) {
    int size = work.sends();
    if (work.producers() != 1 || work.consumers() != 1) {
      throw new IllegalArgumentException(
          "work must have one producer and one consumer: producers=%d, consumers=%d"
              .formatted(work.producers(), work.consumers()));
    }
    if (size < 1 || size > work.slots()) {
      throw new IllegalArgumentException(
          "burst must be in 1..%d: burst=%d".formatted(work.slots(), size));
    }
    work.checked();
    this.contender = contender;
    this.size = size;
    this.idle = new Idle(idle);
  }

  /** Warms up, then measures for a time; returns the time of each burst, in nanoseconds. */
  Histogram run(long warmupNanos, long nanos) throws InterruptedException {
    Thread consumer =
        Thread.ofPlatform().name("consumer").daemon().start(() -> receiveAll(contender.receiver()));
    Ends sender = contender.sender();
    try {
      return Latencies.during(
          warmupNanos, nanos, (first, times) -> sendBursts(sender, first, times));
    } finally {
      stop = true;
      consumer.join();
    }
  }

  /** Measured, hence in a method of its own. */
  private long sendBursts(Ends sender, long first, Histogram times) {
    long next = first;
    for (int i = 0; i < BURSTS_PER_LOOK; i++) {
      long begin = System.nanoTime();
      for (long end = next + size; next < end; ) {
        if (sender.send(next)) {
          next++;
        } else {
          idle.pause();
        }
      }
      awaitReceipt(next, begin);
      times.recordValue(System.nanoTime() - begin);
    }
    return next;
  }

  private void awaitReceipt(long count, long begin) {
    long attempts = 0;
    while (received.getAcquire() != count) { // acquire: sees the records' count, nothing else
      idle.pause();
      if (++attempts % ATTEMPTS_PER_LOOK == 0 && System.nanoTime() - begin > PATIENCE_NANOS) {
        throw new AssertionError(
            "bursts must come out: received=" + received.getAcquire() + ", sent=" + count);
      }
    }
  }

  private void receiveAll(Ends receiver) {
    long next = 0;
    while (!stop) {
      next = receiveSome(receiver, next);
    }
  }

  /** Measured, hence in a method of its own. */
  private long receiveSome(Ends receiver, long first) {
    long next = first;
    for (int i = 0; i < ATTEMPTS_PER_LOOK; i++) {
      long got = receiver.receive();
      if (got == Ends.NONE) {
        idle.pause();
        continue;
      }
      if (got != Words.sum(next)) {
        throw new AssertionError("another record: sum=" + got + ", number=" + next);
      }
      next++;
      if (next % size == 0) {
        received.setRelease(next); // release: nothing else is published; not to be put off
      }
    }
    return next;
  }
}
