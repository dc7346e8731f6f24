package dev.millrace.stress.lincheck;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/**
 * The operations on a {@link Sequencer} that the trials choose from: as a bounded queue, whose put
 * is a claim and a publication, and whose take is a poll and a release. What is in the slots are
 * plain numbers. Answers are those of {@link Answers}.
 */
class SequencerOperations {
  private static final int CAPACITY = Answers.CAPACITY;

  final Sequencer sequencer;
  private final long[] values = new long[CAPACITY];
  private final long[] doubles = new long[CAPACITY];

  SequencerOperations(boolean manyProducers) {
    RingOptions options =
        manyProducers ? RingOptions.multiProducer(CAPACITY) : RingOptions.singleProducer(CAPACITY);
    sequencer = Sequencer.of(options);
  }

  static SequenceConsumer newConsumer(Sequencer sequencer) {
    return sequencer.newConsumer(WaitStrategy.busySpin());
  }

  static List<SequenceConsumer> newWorkers(Sequencer sequencer) {
    return sequencer.newSharedConsumers(2, WaitStrategy.busySpin());
  }

  final void write(long sequence, long value) {
    values[(int) sequence & (CAPACITY - 1)] = value;
    doubles[(int) sequence & (CAPACITY - 1)] = 2 * value;
  }

  /** The value; or both numbers if they are not of one record, which no specification answers. */
  private String read(long sequence) {
    long value = values[(int) sequence & (CAPACITY - 1)];
    long twice = doubles[(int) sequence & (CAPACITY - 1)];
    return twice == 2 * value ? Long.toString(value) : "torn: " + value + " " + twice;
  }

  // ---- producers ----

  String tryPut(long value) {
    long sequence = sequencer.tryClaim();
    if (sequence < 0) {
      return nothing(sequence);
    }
    write(sequence, value);
    return commit(sequence, 1);
  }

  final String tryPutRun(long value) {
    long first = sequencer.tryClaim(2);
    if (first < 0) {
      return nothing(first);
    }
    write(first, value);
    write(first + 1, -value);
    return commit(first, 2);
  }

  final String tryAbort(long value) {
    long sequence = sequencer.tryClaim();
    if (sequence < 0) {
      return nothing(sequence);
    }
    write(sequence, value);
    sequencer.abort(sequence);
    return Answers.DONE;
  }

  private String commit(long first, int count) {
    sequencer.commit(first, count);
    return Answers.DONE;
  }

  private static String nothing(long code) {
    return code == Sequencer.FULL ? Answers.FULL : Answers.CLOSED;
  }

  // ---- consumers ----

  String tryTake(SequenceConsumer barrier, int limit) {
    int count = barrier.tryPoll(limit);
    if (count == 0) {
      return barrier.isDrained() ? Answers.CLOSED : Answers.EMPTY;
    }
    StringBuilder records = new StringBuilder(read(barrier.sequence()));
    for (int i = 1; i < count; i++) {
      records.append(' ').append(read(barrier.sequence() + i));
    }
    barrier.release();
    return records.toString();
  }

  // ---- planted bugs ----

  /** A put whose record is written after its publication. */
  final String putPublishedFirst(long value) {
    long sequence = sequencer.tryClaim();
    if (sequence < 0) {
      return nothing(sequence);
    }
    String published = commit(sequence, 1);
    write(sequence, value);
    return published;
  }

  /** A take whose record is read after its release. */
  final String takeReleasedFirst(SequenceConsumer barrier) {
    int count = barrier.tryPoll(1);
    if (count == 0) {
      return barrier.isDrained() ? Answers.CLOSED : Answers.EMPTY;
    }
    long sequence = barrier.sequence();
    barrier.release();
    return read(sequence);
  }

  // ---- producers' side of trials ----

  /** Many producers: single records and runs, publications and aborts, and any thread's end. */
  @Param(name = "value", gen = Rising.class)
  public abstract static class ManyProducers extends SequencerOperations {
    ManyProducers() {
      super(true);
    }

    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation
    public String offerRun(@Param(name = "value") long value) {
      return tryPutRun(value);
    }

    @Operation
    public String abort(@Param(name = "value") long value) {
      return tryAbort(value);
    }

    @Operation
    public void complete() {
      sequencer.complete();
    }
  }

  /** A producer that keeps a claim open from one call to another. */
  final class Producer {
    private static final long NONE = -1;

    private long open = NONE;

    String claim() {
      if (open != NONE) {
        return Answers.ONE_OPEN;
      }
      long sequence = sequencer.tryClaim();
      if (sequence < 0) {
        return nothing(sequence);
      }
      open = sequence;
      return Answers.DONE;
    }

    String publish(long value) {
      if (open == NONE) {
        return Answers.NONE_OPEN;
      }
      long sequence = open;
      open = NONE;
      write(sequence, value);
      return commit(sequence, 1);
    }

    String abort() {
      if (open == NONE) {
        return Answers.NONE_OPEN;
      }
      sequencer.abort(open);
      open = NONE;
      return Answers.DONE;
    }
  }
}
