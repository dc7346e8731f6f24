package dev.millrace.stress.lincheck;

import dev.millrace.cache.internal.Probe;
import dev.millrace.cache.internal.Shard;
import dev.millrace.stress.trial.SmallShard;
import java.lang.foreign.Arena;
import org.jetbrains.lincheck.datastructures.LongGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A {@link Shard} that has not room for all is a map whose entries may disappear at any time: a
 * lookup returns the value stored last, or nothing, and what is gone stays gone. The shard is a
 * {@link SmallShard}, so nearly each put evicts an entry and writes to memory of another.
 *
 * <p><b>Hazard.</b> A reader returns words of two entries, or another key's; it finds an older
 * value than it did before; or it misses a key that is there, because it was moved or replaced.
 *
 * <p><b>Known to fail.</b> {@link Operations#getUnchecked} and {@link Operations#putUnlocked}; in
 * the shard itself a segment that is started without a new epoch, an index word that stays when its
 * entry is passed, and a search that does not read the word again.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all ShardLincheckTest}
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class ShardLincheckTest {
  private static final Mix ALL = Mix.ofAny("get", "put", "putIfAbsent", "remove");
  private static final String EVICTS = "a shard that evicts is a map that may lose its entries";
  private static final int SLOTS = 16; // of a key in the index; loops go through all

  private static Trial trial(Mix mix, String about) {
    return Trial.of(Shard.class, Operations.class, about)
        .mixing(mix)
        .allowedBy(CacheAllows.Tiny.class)
        .withLocks();
  }

  private static Trial modelChecked(Trial trial, int iterations) {
    return trial.modelChecking(iterations, 500).withLoopsUpTo(SLOTS);
  }

  @Test
  void keys_whenModelChecked_areThoseOfAMapThatLoses(TestInfo test) {
    modelChecked(trial(ALL, EVICTS), 15).passes(test);
  }

  @Test
  void get_whenNotValidated_isCaught(TestInfo test) {
    Mix mix = Mix.ofOne("getUnchecked").and(Mix.ofOne("put"));
    modelChecked(trial(mix, "planted: what was read is not validated").threads(2, 5), 30)
        .isCaught(test);
  }

  @Test
  void put_whenNotLocked_isCaught(TestInfo test) {
    Mix mix = Mix.ofAny("get", "putUnlocked", "remove");
    modelChecked(trial(mix, "planted: writers take no lock"), 30).isCaught(test);
  }

  /** All that a shard can do with a key. */
  @Param(name = "key", gen = LongGen.class, conf = "1:3")
  @Param(name = "value", gen = Rising.class)
  public static class Operations {
    private final SmallShard shard = new SmallShard(Arena.ofAuto());

    public Operations() {
      shard.fill(probe());
    }

    private static Probe probe() {
      return SmallShard.newProbe(Arena.ofAuto());
    }

    private static Long found(long number) {
      return number == SmallShard.ABSENT ? null : number;
    }

    @Operation
    public Long get(@Param(name = "key") long key) {
      return found(shard.get(probe(), key));
    }

    @Operation
    public void put(@Param(name = "key") long key, @Param(name = "value") long value) {
      shard.put(probe(), key, value);
    }

    @Operation
    public boolean putIfAbsent(@Param(name = "key") long key, @Param(name = "value") long value) {
      return shard.putIfAbsent(probe(), key, value);
    }

    @Operation
    public boolean remove(@Param(name = "key") long key) {
      return shard.remove(probe(), key);
    }

    /** Planted: the entry may be overwritten while it is read. */
    @Operation
    public Long getUnchecked(@Param(name = "key") long key) {
      return found(shard.getUnchecked(probe(), key));
    }

    /** Planted: two writers at a time. */
    @Operation
    public void putUnlocked(@Param(name = "key") long key, @Param(name = "value") long value) {
      shard.putUnlocked(probe(), key, value);
    }
  }
}
