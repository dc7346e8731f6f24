package dev.millrace.bench.onethread;

import dev.millrace.bench.Tick;
import dev.millrace.queues.OffHeapQueue;
import java.util.List;
import java.util.function.Consumer;

/** A queue of ours, through flyweights. */
final class OffHeapLoop extends Loop {
  private final OffHeapQueue<Tick> queue;
  private final Tick in;
  private final Tick out;
  private final List<Consumer<Tick>> handlers = handlers(this);

  OffHeapLoop(OffHeapQueue<Tick> queue) {
    this.queue = queue;
    this.in = queue.newFlyweight();
    this.out = queue.newFlyweight();
  }

  // Four classes. They see the loop as one of Loop: within a hidden class nothing can name it.
  private static List<Consumer<Tick>> handlers(Loop loop) {
    return List.of(
        tick -> loop.sum += tick.sum(),
        tick -> loop.sum += tick.sum(),
        tick -> loop.sum += tick.sum(),
        tick -> loop.sum += tick.sum());
  }

  @Override
  long singles(int records) {
    OffHeapQueue<Tick> queue = this.queue;
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
  long waiting(int records) throws InterruptedException {
    OffHeapQueue<Tick> queue = this.queue;
    Tick in = this.in;
    Tick out = this.out;
    long total = 0;
    long next = number;
    for (int i = 0; i < records; i++) {
      queue.claim(in);
      in.set(next++);
      queue.commit(in);
      queue.poll(out);
      total += out.sum();
      queue.release(out);
    }
    number = next;
    return total;
  }

  @Override
  long runs(int records) {
    long total = 0;
    for (int i = 0; i < records; i += RUN) {
      claimRun();
      int count = queue.tryPoll(out, RUN);
      total += sumOf(count);
      queue.release(out);
    }
    return total;
  }

  private void claimRun() {
    Tick in = this.in;
    if (queue.tryClaim(in, RUN)) {
      long first = number;
      for (int i = 0; i < RUN; i++) {
        in.set(first + i);
        in.next();
      }
      queue.commit(in);
      number = first + RUN;
    }
  }

  private long sumOf(int count) {
    Tick out = this.out;
    long total = 0;
    for (int i = 0; i < count; i++) {
      total += out.sum();
      out.next();
    }
    return total;
  }

  @Override
  long handled(int records, int handler) {
    sum = 0;
    Consumer<Tick> to = handlers.get(handler);
    for (int i = 0; i < records; i += RUN) {
      claimRun();
      queue.drain(out, to, RUN);
    }
    return sum;
  }

  @Override
  public void close() {
    queue.abandon();
  }
}
