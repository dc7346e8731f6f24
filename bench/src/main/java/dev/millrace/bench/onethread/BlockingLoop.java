package dev.millrace.bench.onethread;

import java.util.concurrent.BlockingQueue;

/** A queue by the interface of the JDK; a record is made for each offer. */
final class BlockingLoop extends Loop {
  private final BlockingQueue<Values> queue;

  /** What is put. */
  record Values(long time, long price, long volume) {
    static Values of(long number) {
      return new Values(number, number + 1, number + 2);
    }

    long sum() {
      return time + price + volume;
    }
  }

  BlockingLoop(BlockingQueue<Values> queue) {
    this.queue = queue;
  }

  @Override
  long singles(int records) {
    BlockingQueue<Values> queue = this.queue;
    long total = 0;
    long next = number;
    for (int i = 0; i < records; i++) {
      queue.offer(Values.of(next++));
      Values one = queue.poll();
      if (one != null) {
        total += one.sum();
      }
    }
    number = next;
    return total;
  }

  @Override
  long waiting(int records) throws InterruptedException {
    BlockingQueue<Values> queue = this.queue;
    long total = 0;
    long next = number;
    for (int i = 0; i < records; i++) {
      queue.put(Values.of(next++));
      total += queue.take().sum();
    }
    number = next;
    return total;
  }
}
