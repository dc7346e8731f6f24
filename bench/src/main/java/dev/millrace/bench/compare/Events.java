package dev.millrace.bench.compare;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;

/** A ring of ours of preallocated events, with one consumer. */
record Events(ObjectRing<HeapTick> ring, SequenceConsumer consumer) implements Contender {
  /** That for as many producers as a work has. */
  static Events of(Work work) {
    ObjectRing<HeapTick> ring = ObjectRing.of(Stages.options(work), HeapTick::new);
    return new Events(ring, ring.sequencer().newConsumer(WaitStrategy.busySpin()));
  }

  @Override
  public Ends ends(boolean sends, boolean receives) {
    return Ends.of(Sequenced.class, ring, consumer);
  }

  /** Claimed and polled by number. */
  static final class Sequenced extends Ends {
    private final ObjectRing<HeapTick> ring;
    private final Sequencer sequencer;
    private final SequenceConsumer consumer;

    Sequenced(ObjectRing<HeapTick> ring, SequenceConsumer consumer) {
      this.ring = ring;
      this.sequencer = ring.sequencer();
      this.consumer = consumer;
    }

    @Override
    void put(long number) throws InterruptedException {
      long sequence = sequencer.claim();
      ring.get(sequence).set(number);
      sequencer.commit(sequence);
    }

    @Override
    long take() {
      runSum = 0;
      return receive(1) == 0 ? NONE : runSum;
    }

    @Override
    int receive(int limit) {
      int count = consumer.tryPoll(limit);
      if (count > 0) {
        long first = consumer.sequence();
        long sum = 0;
        for (int i = 0; i < count; i++) {
          sum += ring.get(first + i).sum();
        }
        consumer.release();
        runSum += sum;
      }
      return count;
    }
  }
}
