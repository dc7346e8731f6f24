package dev.millrace.stress;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Passes records through an {@link SpscQueue} from one thread to another and checks each. */
final class SpscSoak {
  private final int capacity;
  private final int run;
  private final long records;

  /**
   * Makes a soak.
   *
   * @param capacity of the queue
   * @param run how many records are claimed and polled at a time; 1 for one at a time
   * @param records how many to pass
   */
  SpscSoak(int capacity, int run, long records) {
    this.capacity = capacity;
    this.run = Math.min(run, capacity);
    this.records = records;
  }

  /**
   * What was seen.
   *
   * @param records that came out, each whole and in its place
   * @param checksum over all of them, equal to what was put in
   * @param nanos the time taken
   */
  record Result(long records, long checksum, long nanos) {}

  /**
   * Runs to the end; throws an {@link AssertionError} if a record is torn, lost, or out of order.
   */
  Result call() throws InterruptedException, ExecutionException {
    WaitStrategy wait = WaitStrategy.yielding();
    SpscQueue<Entry> queue =
        SpscQueue.of(
            QueueOptions.ofCapacity(capacity).withProducerWaits(wait).withConsumerWaits(wait),
            Entry::new);
    long begin = System.nanoTime();
    FutureTask<Long> producer = new FutureTask<>(() -> produce(queue));
    Thread.ofPlatform().name("producer").start(producer);
    long taken;
    try {
      taken = run == 1 ? consumeSingles(queue) : consumeRuns(queue);
    } finally {
      queue.abandon(); // after a failure here the producer must not wait for ever
    }
    long put = producer.get();
    if (put != taken) {
      throw new AssertionError("checksum must be " + put + ": checksum=" + taken);
    }
    return new Result(records, taken, System.nanoTime() - begin);
  }

  private long produce(SpscQueue<Entry> queue) throws InterruptedException {
    Entry entry = queue.newFlyweight();
    long checksum = 0;
    for (long i = 0; i < records; ) {
      int count = (int) Math.min(run, records - i);
      queue.claim(entry, count);
      for (int k = 0; k < count; k++, i++, entry.next()) {
        entry.number(i);
        checksum += Entry.mix(i);
      }
      queue.commit(entry);
    }
    queue.complete();
    return checksum;
  }

  private long consumeSingles(SpscQueue<Entry> queue) throws InterruptedException {
    Entry entry = queue.newFlyweight();
    long checksum = 0;
    long expected = 0;
    while (queue.poll(entry)) {
      checksum += check(entry, expected++);
      queue.release(entry);
    }
    return atEnd(expected, checksum);
  }

  private long consumeRuns(SpscQueue<Entry> queue) throws InterruptedException {
    Entry entry = queue.newFlyweight();
    long checksum = 0;
    long expected = 0;
    for (int count = queue.poll(entry, run); count > 0; count = queue.poll(entry, run)) {
      for (int k = 0; k < count; k++, entry.next()) {
        checksum += check(entry, expected++);
      }
      queue.release(entry);
    }
    return atEnd(expected, checksum);
  }

  private static long check(Entry entry, long expected) {
    long number = entry.wholeNumber();
    if (number != expected) {
      throw new AssertionError("number must be " + expected + ": number=" + number);
    }
    return Entry.mix(number);
  }

  private long atEnd(long seen, long checksum) {
    if (seen != records) {
      throw new AssertionError("records must be " + records + ": records=" + seen);
    }
    return checksum;
  }
}
