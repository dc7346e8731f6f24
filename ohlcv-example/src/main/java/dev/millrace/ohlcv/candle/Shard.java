package dev.millrace.ohlcv.candle;

import dev.millrace.core.Idler;
import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.MpscConsumer;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscConsumer;
import dev.millrace.queues.SpscProducer;
import dev.millrace.queues.SpscQueue;
import java.io.IOException;

/**
 * A share of the symbols in a {@link ShardedEngine}, which says how the threads go together: places
 * the trades of its queue, and leaves what they make it emit in its output.
 *
 * <p><b>Roles.</b> One thread {@linkplain #run runs}, another takes from the output; any may let
 * go. Whoever closes makes sure that both have ended.
 */
final class Shard implements AutoCloseable {
  private static final int BATCH = 256;
  private static final int OUTPUT_CAPACITY = 1_024;

  private final MpscConsumer<TradeFlyweight> input;
  private final Sequence sent; // the feeder's
  private final OpenCandles open;
  private final SpscQueue<EmittedFlyweight> output;
  private final Sequence progress = new Sequence();

  Shard(CandleEngine.Options options, MpscQueue<TradeFlyweight> input, Sequence sent) {
    this.input = input.consumer();
    this.sent = sent;
    this.output =
        SpscQueue.of(
            FlyweightType.of(EmittedFlyweight::new), QueueOptions.ofCapacity(OUTPUT_CAPACITY));
    try {
      this.open = new OpenCandles(options);
    } catch (OutOfMemoryError e) {
      output.close();
      throw e;
    }
  }

  /** Places trades until there will be none, or it is let go. */
  void run() throws IOException {
    Emissions emissions = new Emissions();
    Idler idler = WaitStrategy.parking().newIdler();
    long done = 0;
    while (!output.isCompleted()) {
      // acquire A: the trades up to it are in their queues, so that the poll cannot miss one of
      // ours
      long seen = sent.getAcquire();
      int count = input.tryPoll(BATCH);
      if (count == 0) {
        if (input.isDrained()) {
          break;
        }
        done = Math.max(done, seen); // the trade placed last may be ahead of what was seen
      } else {
        for (int i = 0; i < count; i++) {
          TradeFlyweight trade = input.at(i);
          done = trade.number();
          emissions.place(trade);
        }
        input.release();
      }
      progress.setRelease(done); // release B: what trades up to it made us emit is in the output
      idler.idle(count);
    }
    output.complete(); // release C: the windows are as they will stay
  }

  /** Ends the output, and with it the thread, even if it waits for room there. */
  void letGo() {
    output.complete();
  }

  OpenCandles open() {
    return open;
  }

  SpscConsumer<EmittedFlyweight> output() {
    return output.consumer();
  }

  /** Up to which trade nothing will come into the output any more. */
  long progress() {
    return progress.getAcquire(); // acquire B: what trades up to it emitted is in the output
  }

  /** Frees the memory. */
  @Override
  public void close() {
    output.close();
    open.close();
  }

  /** The running thread's way into the output. */
  private final class Emissions implements CandleSink {
    private final SpscProducer<EmittedFlyweight> producer = output.producer();
    private long number;

    void place(TradeFlyweight trade) throws IOException {
      number = trade.number();
      open.place(trade, this);
      open.watch().placed(number);
    }

    @Override
    public void candle(CandleView candle) {
      claim().setCandle(number, (CandleFlyweight) candle); // a window emits its own slots
      producer.commit();
    }

    @Override
    public void refused(long line, String field) {
      claim().setRefused(number, line, field);
      producer.commit();
    }

    /** Waits for room; throws when the shard is let go, which ends the thread. */
    private EmittedFlyweight claim() {
      try {
        return producer.claim();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("engine's thread must not be interrupted", e);
      }
    }
  }
}
