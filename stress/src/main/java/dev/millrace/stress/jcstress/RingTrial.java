package dev.millrace.stress.jcstress;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import java.util.List;

/** A ring for one trial after another: its numbering, its barriers, and what is in its slots. */
final class RingTrial extends Pool.Item {
  private static final WaitStrategy WAITS = WaitStrategy.busySpin();

  final Sequencer sequencer;

  /** One that sees every event, or the first of two that share them. */
  final SequenceConsumer left;

  /** The second of two that share them, or one behind the first. */
  final SequenceConsumer right;

  private final long[] first;
  private final long[] second;
  private long written;

  private RingTrial(Sequencer sequencer, SequenceConsumer left, SequenceConsumer right) {
    this.sequencer = sequencer;
    this.left = left;
    this.right = right;
    this.first = new long[sequencer.capacity()];
    this.second = new long[sequencer.capacity()];
  }

  /** Makes a ring with a consumer and one behind it. */
  static RingTrial ofStages(RingOptions options) {
    Sequencer sequencer = Sequencer.of(options);
    SequenceConsumer stage = sequencer.newConsumer(WAITS);
    return new RingTrial(sequencer, stage, sequencer.newConsumer(WAITS, stage));
  }

  /** Makes a ring with two workers that share the events. */
  static RingTrial ofWorkers(RingOptions options) {
    Sequencer sequencer = Sequencer.of(options);
    List<SequenceConsumer> workers = sequencer.newSharedConsumers(2, WAITS);
    return new RingTrial(sequencer, workers.get(0), workers.get(1));
  }

  /** As {@link QueueTrial#reserve}. */
  long reserve(int events) {
    long base = written;
    written += events;
    return base;
  }

  private int slot(long sequence) {
    return (int) sequence & (first.length - 1);
  }

  /** Publishes an event; 0 if the ring is full. */
  int put(long number) {
    long sequence = sequencer.tryClaim();
    if (sequence < 0) {
      return 0;
    }
    first[slot(sequence)] = number;
    second[slot(sequence)] = number;
    sequencer.commit(sequence);
    return 1;
  }

  /** Takes the next event: its place in the trial or {@link Numbered#TORN}, 0 if there is none. */
  int take(SequenceConsumer consumer, long base) {
    if (consumer.tryPoll(1) <= 0) {
      return 0;
    }
    int place = whole(consumer.sequence(), base);
    consumer.release();
    return place;
  }

  /** Which event is in a slot: its place in the trial, or {@link Numbered#TORN}. */
  int whole(long sequence, long base) {
    int place = (int) (first[slot(sequence)] - base);
    return (int) (second[slot(sequence)] - base) == place ? place : Numbered.TORN;
  }

  /** Takes the next event and marks it, for those behind to see. */
  int mark(long base, int by) {
    if (left.tryPoll(1) <= 0) {
      return 0;
    }
    int slot = slot(left.sequence());
    int place = whole(left.sequence(), base);
    first[slot] += by;
    second[slot] += by;
    left.release();
    return place;
  }

  /** Takes what is left after the actors have ended, and gives the ring back. */
  void empty(long base) {
    boolean wasThere = true;
    while (wasThere) {
      wasThere = take(left, base) != 0;
      wasThere |= take(right, base) != 0;
    }
    giveBack();
  }
}
