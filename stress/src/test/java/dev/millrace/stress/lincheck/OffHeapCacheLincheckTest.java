package dev.millrace.stress.lincheck;

import dev.millrace.cache.CacheOptions;
import dev.millrace.cache.Codec;
import dev.millrace.cache.OffHeapCache;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jetbrains.lincheck.datastructures.LongGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * An {@link OffHeapCache} that has room for all is a map, key by key, and loads a key once at a
 * time.
 *
 * <p>To the model checker a shard's methods are one step each: {@link ShardLincheckTest} checks
 * what is inside. Otherwise the number of steps would depend on the hashes, which are secret and
 * others in each cache, and Lincheck could not repeat what it found.
 *
 * <p><b>Hazard.</b> A key is stored twice because two threads missed it; a load stores its value
 * over one that was stored meanwhile, or though the key was removed; two threads load one key.
 *
 * <p><b>Known to fail.</b> {@link Operations#putInTwoSteps} and {@link Operations#findInTwoSteps};
 * in the cache itself a {@code putIfAbsent} or a {@code load} that does not look again under the
 * lock, and a put, a removal or a clearing that leaves the loads under way alone.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all OffHeapCacheLincheckTest}
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class OffHeapCacheLincheckTest {
  private static final Mix MAP = Mix.ofAny("get", "put", "putIfAbsent", "remove", "clear");
  private static final Mix LOADS = Mix.ofAny("load").and(Mix.ofOne("put", "putIfAbsent", "remove"));
  private static final Mix CHANGES = Mix.ofOne("changeAndRemove", "changeAndClear");
  private static final int KEYS = 2;
  private static final int MOST_SEGMENTS = 31; // with these options; loops go through all

  private static Trial trial(Mix mix, String about) {
    return Trial.of(OffHeapCache.class, Operations.class, about)
        .mixing(mix)
        .allowedBy(CacheAllows.Roomy.class)
        .withLocks();
  }

  private static Trial keys() {
    return trial(MAP, "a cache that evicts nothing is a map of each key");
  }

  private static Trial loads() {
    return trial(LOADS, "calls share a load, which is not stored over what was meanwhile");
  }

  private static Trial sources() {
    return trial(Mix.ofAny("find").and(CHANGES), "what a source had before a change is not kept")
        .against(Source.class);
  }

  private static Trial modelChecked(Trial trial, int iterations) {
    return trial
        .modelChecking(iterations, 500)
        .withLoopsUpTo(MOST_SEGMENTS)
        .inOneStep("dev.millrace.cache.internal.EntryTable"::equals)
        .inOneStep(
            "dev.millrace.cache.internal.Shard"::equals, "put", "contains", "remove", "clear")
        // of the loads under way, whose hashes are the secret ones
        .inOneStep("java.util.HashMap"::equals);
  }

  @Test
  void keys_whenModelChecked_areThoseOfAMap(TestInfo test) {
    modelChecked(keys(), 15).passes(test);
  }

  @Test
  void loads_whenModelChecked_areSharedAndStoredIfWanted(TestInfo test) {
    modelChecked(loads().threads(3, 2), 10).passes(test);
  }

  @Test
  void sources_whenModelChecked_areNeverOutOfDate(TestInfo test) {
    modelChecked(sources().threads(2, 3), 10).passes(test);
  }

  @Test
  void putIfAbsent_whenInTwoSteps_isCaught(TestInfo test) {
    Mix mix = Mix.ofAny("putInTwoSteps", "remove");
    modelChecked(trial(mix, "planted: putIfAbsent is a get, then a put"), 30).isCaught(test);
  }

  @Test
  void load_whenInTwoSteps_isCaught(TestInfo test) {
    Mix mix = Mix.ofAny("findInTwoSteps").and(CHANGES);
    modelChecked(
            trial(mix, "planted: a load is a get, then a put").against(Source.class).threads(2, 3),
            30)
        .isCaught(test);
  }

  /** All that a cache can do with a key. */
  @Param(name = "key", gen = LongGen.class, conf = "1:" + KEYS)
  @Param(name = "value", gen = Rising.class)
  public static class Operations {
    private static final int BYTES = 1 << 16; // the least
    private static final long ENTRIES = 8; // so that the index is small

    private final OffHeapCache<Long, Long> cache =
        OffHeapCache.of(
            Codec.longs(),
            Codec.longs(),
            CacheOptions.ofBytes(BYTES)
                .withShards(1)
                .withMaxEntries(ENTRIES)
                .withTypicalEntryBytes(BYTES >> 7));

    private final AtomicLongArray source = new AtomicLongArray(KEYS + 1);

    /** Or there would soon be no memory. */
    @Validate
    public void close() {
      cache.close();
    }

    @Operation
    public Long get(@Param(name = "key") long key) {
      return cache.get(key);
    }

    @Operation
    public void put(@Param(name = "key") long key, @Param(name = "value") long value) {
      cache.put(key, value);
    }

    @Operation
    public Long putIfAbsent(@Param(name = "key") long key, @Param(name = "value") long value) {
      return cache.putIfAbsent(key, value);
    }

    @Operation
    public boolean remove(@Param(name = "key") long key) {
      return cache.remove(key);
    }

    @Operation
    public void clear() {
      cache.clear();
    }

    @Operation
    public long load(@Param(name = "key") long key, @Param(name = "value") long value)
        throws InterruptedException {
      return cache.get(key, its -> value);
    }

    /** Planted: another thread may store the key between the two. */
    @Operation
    public Long putInTwoSteps(@Param(name = "key") long key, @Param(name = "value") long value) {
      Long present = cache.get(key);
      if (present == null) {
        cache.put(key, value);
      }
      return present;
    }

    /** Loads from a source that others change. */
    @Operation
    public long find(@Param(name = "key") long key) throws InterruptedException {
      return cache.get(key, its -> source.get((int) key));
    }

    @Operation
    public void changeAndRemove(@Param(name = "key") long key, @Param(name = "value") long value) {
      source.set((int) key, value);
      cache.remove(key);
    }

    @Operation
    public void changeAndClear(@Param(name = "key") long key, @Param(name = "value") long value) {
      source.set((int) key, value);
      cache.clear();
    }

    /** Planted: the source may change between the two. */
    @Operation
    public long findInTwoSteps(@Param(name = "key") long key) {
      Long present = cache.get(key);
      if (present == null) {
        present = source.get((int) key);
        cache.put(key, present);
      }
      return present;
    }
  }

  /** A cache that never keeps what is out of date: as if there were none. */
  public static class Source {
    private final long[] values = new long[KEYS + 1];

    public long find(long key) {
      return values[(int) key];
    }

    public void changeAndRemove(long key, long value) {
      values[(int) key] = value;
    }

    public void changeAndClear(long key, long value) {
      values[(int) key] = value;
    }

    public long findInTwoSteps(long key) {
      return find(key);
    }
  }
}
