package dev.millrace.ohlcv.candle;

import dev.millrace.core.Idler;
import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.SpscConsumer;
import java.io.IOException;
import java.util.List;

/**
 * Takes what shards emit, in order of the trades' numbers. For one thread; {@link ShardedEngine}
 * says why it always gets on.
 *
 * <p><b>Cost.</b> A look at each shard's number per record; a shard's memory is touched only when
 * it is its turn. No allocation.
 */
final class ShardMerge {
  private static final int BATCH = 256;
  private static final long ENDED = Long.MAX_VALUE;

  private final Lane[] lanes;

  ShardMerge(List<Shard> shards) {
    this.lanes = shards.stream().map(Lane::new).toArray(Lane[]::new);
  }

  /** Emits until all shards have ended, or nothing more is wanted. */
  void run(Emitter emitter) throws IOException {
    Idler idler = WaitStrategy.parking().newIdler();
    while (!emitter.isAbandoned()) {
      Lane next = next();
      if (next.left > 0) {
        next.emit(emitter);
        idler.reset();
      } else if (next.least == ENDED) {
        return;
      } else if (next.look()) {
        idler.reset();
      } else {
        idler.idle(0);
      }
    }
  }

  /**
   * The lane of the least number. If two have the same one, only that which has a record can be of
   * that trade, for a trade is in one shard.
   */
  private Lane next() {
    Lane next = lanes[0];
    for (Lane lane : lanes) {
      if (lane.least < next.least || (lane.least == next.least && lane.left > next.left)) {
        next = lane;
      }
    }
    return next;
  }

  /** A shard's output, and what is known of it. */
  private static final class Lane {
    private final Shard shard;
    private final SpscConsumer<EmittedFlyweight> output;
    private int count; // of the records in hand
    private int left; // of those, the next one included
    private long least = 1; // the record's number; if there is none, no less will come

    Lane(Shard shard) {
      this.shard = shard;
      this.output = shard.output();
    }

    /** Emits the record in hand. The next may be of the same trade, so {@code least} stays. */
    void emit(Emitter emitter) throws IOException {
      output.at(count - left).giveTo(emitter);
      if (--left == 0) {
        output.release();
      } else {
        least = output.at(count - left).number();
      }
    }

    /** Looks for a record, or for how far the shard is without one; tells whether it learnt. */
    boolean look() {
      long progress = shard.progress(); // before the poll: then empty means that none is on its way
      count = output.tryPoll(BATCH);
      if (count > 0) {
        left = count;
        least = output.at(0).number();
        return true;
      }
      long before = least;
      least = output.isDrained() ? ENDED : Math.max(before, progress + 1);
      return least != before;
    }
  }
}
