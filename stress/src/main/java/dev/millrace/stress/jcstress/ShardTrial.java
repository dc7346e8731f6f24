package dev.millrace.stress.jcstress;

import dev.millrace.cache.internal.Probe;
import dev.millrace.stress.trial.SmallShard;
import java.lang.foreign.Arena;

/** A shard of a cache for one trial after another, with a probe for each of two actors. */
final class ShardTrial extends Pool.Item {
  final SmallShard shard = new SmallShard(Arena.global());
  final Probe first = SmallShard.newProbe(Arena.global());
  final Probe second = SmallShard.newProbe(Arena.global());

  /** Makes a trial that begins with some keys, whose numbers are all 1. */
  ShardTrial(long... keys) {
    beginWith(keys);
  }

  /** Leaves nothing but some keys, stored in this order with 1 as their number. */
  void beginWith(long... keys) {
    shard.clear();
    for (long key : keys) {
      shard.put(first, key, 1);
    }
  }

  /** Reads a key, while a writer has the first probe. */
  int read(long key) {
    return (int) shard.get(second, key);
  }

  /** Reads a key several times; returns the last number, or the first that is torn. */
  int readAgain(long key) {
    int number = read(key);
    for (int i = 0; i < 4 && number != SmallShard.TORN; i++) {
      number = read(key);
    }
    return number;
  }
}
