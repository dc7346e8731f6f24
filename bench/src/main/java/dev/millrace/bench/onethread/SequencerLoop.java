package dev.millrace.bench.onethread;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;

/** A ring of ours of preallocated events, with one consumer. */
final class SequencerLoop extends Loop {
  private final ObjectRing<HeapRecord> ring;
  private final Sequencer sequencer;
  private final SequenceConsumer consumer;

  SequencerLoop(RingOptions options) {
    this.ring = ObjectRing.of(options, HeapRecord::new);
    this.sequencer = ring.sequencer();
    this.consumer = sequencer.newConsumer(WaitStrategy.busySpin());
  }

  @Override
  long singles(int records) {
    long total = 0;
    for (int i = 0; i < records; i++) {
      put();
      total += take();
    }
    return total;
  }

  @Override
  long runs(int records) {
    long total = 0;
    for (int i = 0; i < records; i += RUN) {
      for (int j = 0; j < RUN; j++) {
        put();
      }
      total += take();
    }
    return total;
  }

  private void put() {
    long sequence = sequencer.tryClaim();
    if (sequence >= 0) {
      ring.get(sequence).set(number++);
      sequencer.commit(sequence);
    }
  }

  private long take() {
    long total = 0;
    int count = consumer.tryPoll(RUN);
    long first = consumer.sequence();
    for (int i = 0; i < count; i++) {
      total += ring.get(first + i).sum();
    }
    if (count > 0) {
      consumer.release();
    }
    return total;
  }
}
