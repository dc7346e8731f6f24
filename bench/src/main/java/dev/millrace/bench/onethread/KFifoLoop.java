package dev.millrace.bench.onethread;

import dev.millrace.bench.Tick;
import dev.millrace.queues.KFifoQueue;

/** Our queue of relaxed order. */
final class KFifoLoop extends Loop {
  private final KFifoQueue<Tick> queue;
  private final Tick in;
  private final Tick out;

  KFifoLoop(KFifoQueue<Tick> queue) {
    this.queue = queue;
    this.in = queue.newFlyweight();
    this.out = queue.newFlyweight();
  }

  @Override
  long singles(int records) {
    KFifoQueue<Tick> queue = this.queue;
    Tick in = this.in;
    Tick out = this.out;
    long total = 0;
    long next = number;
    for (int i = 0; i < records; i++) {
      if (queue.tryClaim(in)) {
        in.set(next++);
        queue.commit(in);
      }
      if (queue.tryPoll(out)) {
        total += out.sum();
        queue.release(out);
      }
    }
    number = next;
    return total;
  }

  @Override
  public void close() {
    queue.abandon();
  }
}
