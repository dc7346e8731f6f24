package dev.millrace.bench.onethread;

import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.RingBuffer;

/** The Disruptor's ring of preallocated events, with a poller. */
final class DisruptorLoop extends Loop {
  private final RingBuffer<HeapRecord> ring;
  private final EventPoller<HeapRecord> poller;
  private final EventPoller.Handler<HeapRecord> handler = handler(this);

  DisruptorLoop(RingBuffer<HeapRecord> ring) {
    this.ring = ring;
    this.poller = ring.newPoller();
    ring.addGatingSequences(poller.getSequence());
  }

  // static: within a hidden class nothing can name it
  private static EventPoller.Handler<HeapRecord> handler(Loop loop) {
    return (event, sequence, endOfBatch) -> {
      loop.sum += event.sum();
      return true;
    };
  }

  @Override
  long singles(int records) {
    sum = 0;
    for (int i = 0; i < records; i++) {
      put();
      take();
    }
    return sum;
  }

  @Override
  long runs(int records) {
    sum = 0;
    for (int i = 0; i < records; i += RUN) {
      for (int j = 0; j < RUN; j++) {
        put();
      }
      take();
    }
    return sum;
  }

  private void put() {
    long sequence = ring.next();
    ring.get(sequence).set(number++);
    ring.publish(sequence);
  }

  private void take() {
    try {
      poller.poll(handler);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
