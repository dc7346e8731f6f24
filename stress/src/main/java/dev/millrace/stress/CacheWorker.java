package dev.millrace.stress;

import dev.millrace.cache.OffHeapCache;
import dev.millrace.cache.internal.EntryTable;
import dev.millrace.core.Sequence;
import dev.millrace.stress.Fault.Plant;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Iterator;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;

/**
 * A thread of the cache soak: it reads any key, puts and removes its own, and loads those that any
 * thread may load. Of its own keys it knows which version is there, if any is.
 *
 * <p>A key is stored and removed by one thread. Every fourth of a thread's keys is not: any thread
 * loads it, and its own only removes it. The reason: versions must be stored in the order in which
 * they are made. Those of loads are, because a key has one load at a time, and only the load that
 * began last is stored.
 */
final class CacheWorker {
  /** One of this many of a thread's keys is loaded. */
  static final int LOADED_OF = 4;

  private static final int BATCH = 256;
  private static final int MOST_ITERATED = 2_000;
  private static final long TICK_NANOS = 1_000_000; // of expiry

  /** What a loader throws. */
  private static final class Planned extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Planned() {
      super("planned", null, false, false);
    }
  }

  /**
   * What was found of a value.
   *
   * @param identity the key and the version, scrambled: all bytes and the size follow from it
   */
  record Seen(long identity, int size, boolean isWhole) {
    private static final int VERSION_BITS = 40;

    static Seen in(MemorySegment memory, long offset, long size) {
      long identity = size < Long.BYTES ? 0 : Bytes.seed(memory, offset);
      boolean isWhole = size >= Long.BYTES && Bytes.areOf(memory, offset, identity, size);
      return new Seen(identity, (int) size, isWhole);
    }

    static long identity(long key, long version) {
      return FifoSpec.mix((key << VERSION_BITS) | version);
    }

    /** The size of a value: half of them are short, and each doubling halves the rest. */
    static int sizeOf(long identity, int longest) {
      long draw = Bytes.draw(identity);
      long most = 200L << Long.numberOfTrailingZeros(draw | 1 << 20);
      return (int) Math.min(longest, Long.BYTES + (draw >>> 10) % most);
    }

    long key() {
      return FifoSpec.unmix(identity) >>> VERSION_BITS;
    }

    long version() {
      return FifoSpec.unmix(identity) & ((1L << VERSION_BITS) - 1);
    }
  }

  /** What it has done, once it has ended. */
  final Counts counts = new Counts();

  private final CacheRound round;
  private final OffHeapCache<Long, byte[]> cache;
  private final int index;
  private final int threads;
  private final int longest;
  private final Plant plant;
  private final SplittableRandom random;
  private final int[] bounds; // by key: what this thread has seen and missed
  private final long[] storedAt; // by key, of its own
  private final Sequence steps = new Sequence();
  private int loadedKey;
  private long loadedVersion; // 0 if this thread's loader was not called

  CacheWorker(CacheRound round, int index) {
    this.round = round;
    this.cache = round.cache;
    this.index = index;
    this.threads = round.load.producers;
    this.longest = (int) (cache.maxEntryBytes() - EntryTable.entryBytes(Long.BYTES, 0));
    this.plant = new Plant(index == 0 ? round.load.fault : Fault.NONE);
    this.random = new SplittableRandom(round.seed + index);
    this.bounds = new int[round.keys];
    this.storedAt = new long[round.keys];
  }

  /** How many operations it has done, at any time. */
  long steps() {
    return steps.getOpaque(); // opaque: a count
  }

  /** Works until it is over. */
  void run(BooleanSupplier isOver) throws InterruptedException {
    while (!isOver.getAsBoolean()) {
      for (int i = 0; i < BATCH; i++) {
        step();
      }
      steps.setOpaque(steps.getPlain() + BATCH); // opaque: a count; plain: its own
      counts.add("records", BATCH);
    }
  }

  private void step() throws InterruptedException {
    double part = random.nextDouble(); // half of the draws are of an eighth of the keys
    int key = (int) (part * part * part * round.keys);
    int own = key - key % threads + index;
    int loaded = key - key / threads % LOADED_OF * threads;
    int stored = isLoaded(own) ? own + threads : own;
    int choice = random.nextInt(1 << 14);
    if (choice < 11_500) {
      look(key, choice < 8_000);
    } else if (choice < 12_500) {
      load(loaded);
    } else if (choice < 15_000) {
      put(stored);
    } else if (choice < 15_700) {
      putIfAbsent(stored);
    } else if (choice < 16_320) {
      remove(own);
    } else if (choice < 16_382) {
      putTooLarge(own);
    } else if (choice == 16_382) {
      long[] _ = iterate(MOST_ITERATED);
    } else if (random.nextInt(8) == 0) {
      clear();
    }
  }

  // ---- checks ----

  private boolean isLoaded(int key) {
    return key / threads % LOADED_OF == 0;
  }

  private boolean isKnown(int key) {
    return key % threads == index && !isLoaded(key);
  }

  /** The bound of a key for this thread: nothing that it has seen or missed comes back. */
  private long bound(int key) {
    return Math.max(bounds[key], round.bounds.get(key));
  }

  /** Checks a value that was found; returns its version. */
  private long check(int key, long bound, Seen seen) {
    check(seen.isWhole, "torn value", key, seen);
    check(seen.key() == key, "value must be of its key", key, seen);
    check(seen.size == Seen.sizeOf(seen.identity, longest), "size must be its own", key, seen);
    long version = seen.version();
    boolean isAllowed = 2 * version >= bound && version <= round.newest.get(key);
    boolean isLast = !isKnown(key) || 2 * version == round.bounds.get(key);
    check(isAllowed && isLast, "version must be from half of " + bound + " on", key, seen);
    return version;
  }

  private void check(boolean holds, String rule, int key, Seen seen) {
    if (!holds) {
      String what = seen + " is key " + seen.key() + ", version " + seen.version();
      long newest = round.newest.get(key);
      throw new AssertionError(rule + ": key=" + key + ", newest=" + newest + ", " + what);
    }
  }

  /** Learns what a lookup has found, or missed. */
  private void learn(int key, long bound, Seen seen) {
    bounds[key] = Math.toIntExact(seen == null ? bound | 1 : 2 * check(key, bound, seen));
  }

  private static Seen seen(byte[] value) {
    return value == null ? null : Seen.in(MemorySegment.ofArray(value), 0, value.length);
  }

  // ---- looking up ----

  private void look(int key, boolean inPlace) {
    long bound = bound(key);
    long now = System.nanoTime();
    Seen seen = inPlace ? cache.read((long) key, Seen::in) : seen(cache.get((long) key));
    counts.add("lookups", 1);
    learn(key, bound, seen);
    boolean isOld = isKnown(key) && now - storedAt[key] - TICK_NANOS > round.expireNanos;
    Counts.check(seen == null || !isOld, "value must have expired", seen);
  }

  /**
   * Another thread's load may never be stored, so a version that was returned here may be newer
   * than what comes next.
   */
  private void load(int key) throws InterruptedException {
    long bound = bound(key);
    loadedKey = key;
    loadedVersion = 0;
    counts.add("lookups", 1);
    try {
      long version = check(key, bound, seen(cache.get((long) key, this::load)));
      if (loadedVersion != 0) {
        Counts.check("version that was loaded", version, loadedVersion);
        counts.add("loaded", 1);
      }
    } catch (Planned e) {
      Counts.check(loadedVersion != 0, "another thread's failure must be wrapped", e);
      counts.add("not loaded", 1);
    } catch (CompletionException e) {
      if (loadedVersion != 0 || !(e.getCause() instanceof Planned)) {
        throw e;
      }
      counts.add("joined failures", 1);
    }
  }

  private byte[] load(Long key) {
    Counts.check("key to load", key, loadedKey);
    loadedVersion = round.newest.incrementAndGet(loadedKey);
    int choice = (int) loadedVersion & 15;
    if (choice < 2) {
      Thread.yield(); // others may come and wait, or change the key
    }
    if (choice == 0) {
      throw new Planned();
    }
    return value(Seen.identity(loadedKey, loadedVersion));
  }

  /** Goes through the entries, or some; returns how many there are, and their bytes. */
  long[] iterate(int most) {
    BitSet own = new BitSet();
    long[] found = new long[2];
    Iterator<Map.Entry<Long, byte[]>> entries = cache.iterator();
    while (found[0] < most && entries.hasNext()) {
      Map.Entry<Long, byte[]> entry = entries.next();
      int key = Math.toIntExact(entry.getKey());
      learn(key, bounds[key], seen(entry.getValue()));
      Counts.check(!own.get(key), "iteration must return a key once", key);
      own.set(key, isKnown(key));
      found[0]++;
      found[1] += EntryTable.entryBytes(Long.BYTES, entry.getValue().length);
    }
    counts.add("iterated", found[0]);
    return found;
  }

  // ---- changing ----

  private byte[] value(long identity) {
    byte[] value = new byte[Seen.sizeOf(identity, longest)];
    Bytes.write(MemorySegment.ofArray(value), 0, identity, value.length);
    return value;
  }

  /** Makes a new version of a value, if nothing is done wrong. */
  private byte[] newValue(int key) {
    long version = round.newest.incrementAndGet(key);
    Fault wrong = plant.due();
    int its = wrong == Fault.MIX ? (key + 1) % round.keys : key;
    byte[] value = value(Seen.identity(its, wrong == Fault.STALE ? version - 1 : version));
    value[value.length - 1] += (byte) (wrong == Fault.TEAR ? 1 : 0);
    return value;
  }

  private void stored(int key) {
    storedAt[key] = System.nanoTime();
    counts.add("stored", 1);
    round.bounds.set(key, 2 * round.newest.get(key));
  }

  private void put(int key) {
    Counts.check(cache.put((long) key, newValue(key)), "value must not be too large", key);
    stored(key);
  }

  private void putIfAbsent(int key) {
    long bound = bound(key);
    Seen present = seen(cache.putIfAbsent((long) key, newValue(key)));
    if (present == null) {
      stored(key);
    } else {
      learn(key, bound, present);
    }
  }

  private void remove(int key) {
    boolean isGone = isKnown(key) && bound(key) % 2 != 0;
    long gone = 2 * round.newest.get(key) + 1;
    boolean was = plant.due() != Fault.KEEP && cache.remove((long) key);
    Counts.check(!was || !isGone, "key must be gone", key);
    round.bounds.set(key, gone);
  }

  /** Puts a value that is too large: it is not stored, and the key's former value is gone. */
  private void putTooLarge(int key) {
    long gone = 2 * round.newest.get(key) + 1;
    boolean isStored = cache.put((long) key, new byte[(int) cache.maxEntryBytes()]);
    Counts.check(!isStored, "value must be too large", key);
    counts.add("too large", 1);
    round.bounds.set(key, gone);
  }

  private void clear() {
    long[] gone = new long[round.keys];
    Arrays.setAll(gone, key -> 2 * round.newest.get(key) + 1);
    cache.clear();
    counts.add("cleared", 1);
    for (int key = index; key < gone.length; key += threads) {
      round.bounds.set(key, gone[key]);
    }
  }
}
