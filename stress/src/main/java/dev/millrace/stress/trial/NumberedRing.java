package dev.millrace.stress.trial;

import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

/**
 * A {@link Sequencer} and a slot of memory for each sequence: a bounded queue whose claim is the
 * sequencer's, and whose release is that of a {@link SequenceConsumer}. Its sides do not wait.
 */
public final class NumberedRing {
  private static final WaitStrategy WAITS = WaitStrategy.busySpin();
  private static final long SLOT_BYTES = Numbered.LAYOUT.sizeBytes();

  private final Sequencer sequencer;
  private final MemorySegment memory;

  /**
   * Makes an empty ring.
   *
   * @param options its capacity, and how many produce
   */
  public NumberedRing(RingOptions options) {
    this.sequencer = Sequencer.of(options);
    this.memory = NativeMemory.allocate(sequencer.capacity() * SLOT_BYTES).segment();
  }

  /**
   * The numbering.
   *
   * @return the sequencer
   */
  public Sequencer sequencer() {
    return sequencer;
  }

  /**
   * Makes a producer; of a ring for one, only one may be used at a time.
   *
   * @return the producer
   */
  public Producer<Numbered> newProducer() {
    return new Out();
  }

  /**
   * Makes a consumer that sees every record.
   *
   * @param upstream those that it stays behind
   * @return the consumer
   */
  public Consumer<Numbered> newConsumer(SequenceConsumer... upstream) {
    return new In(sequencer.newConsumer(WAITS, upstream));
  }

  /**
   * Makes two consumers that share the records.
   *
   * @return the two
   */
  public List<Consumer<Numbered>> newWorkers() {
    List<SequenceConsumer> workers = sequencer.newSharedConsumers(2, WAITS);
    return List.of(new In(workers.get(0)), new In(workers.get(1)));
  }

  private Numbered positioned(Numbered view, long sequence) {
    view.moveTo((sequence & (sequencer.capacity() - 1)) * SLOT_BYTES);
    return view;
  }

  private static UnsupportedOperationException waits() {
    return new UnsupportedOperationException("sides of this ring do not wait");
  }

  private final class Out extends Producer<Numbered> {
    private final Numbered view = new Numbered(memory);
    private long first;
    private int count;

    @Override
    public Numbered tryClaim() {
      return tryClaim(1) == 0 ? null : at(0);
    }

    /** All or none. */
    @Override
    public int tryClaim(int limit) {
      long claimed = sequencer.tryClaim(limit);
      if (claimed == Sequencer.CLOSED) {
        throw new IllegalStateException("ring was completed"); // the model checker is slow at more
      }
      if (claimed == Sequencer.FULL) {
        return 0;
      }
      first = claimed;
      count = limit;
      return limit;
    }

    @Override
    public Numbered at(int index) {
      return positioned(view, first + index);
    }

    @Override
    public void commit() {
      sequencer.commit(first, count);
    }

    @Override
    public void abort() {
      sequencer.abort(first, count);
    }

    @Override
    public void close() {
      sequencer.complete();
    }

    @Override
    public Numbered claim() {
      throw waits();
    }

    @Override
    public Numbered claim(Duration timeout) {
      throw waits();
    }

    @Override
    public int claim(int limit) {
      throw waits();
    }
  }

  private final class In extends Consumer<Numbered> {
    private final SequenceConsumer place;
    private final Numbered view = new Numbered(memory);

    In(SequenceConsumer place) {
      this.place = place;
    }

    @Override
    public Numbered tryPoll() {
      return tryPoll(1) == 0 ? null : at(0);
    }

    @Override
    public int tryPoll(int limit) {
      return place.tryPoll(limit);
    }

    @Override
    public Numbered at(int index) {
      return positioned(view, place.sequence() + index);
    }

    @Override
    public void release() {
      place.release();
    }

    @Override
    public boolean isDrained() {
      return place.isDrained();
    }

    @Override
    public Numbered poll() {
      throw waits();
    }

    @Override
    public Numbered poll(Duration timeout) {
      throw waits();
    }

    @Override
    public int poll(int limit) {
      throw waits();
    }

    @Override
    public int drain(Handler<? super Numbered> handler, int limit) {
      throw waits();
    }

    @Override
    public void forEach(Handler<? super Numbered> handler) {
      throw waits();
    }
  }
}
