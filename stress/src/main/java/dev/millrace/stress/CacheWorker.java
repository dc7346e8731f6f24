package dev.millrace.stress;

import dev.millrace.cache.OffHeapCache;
import dev.millrace.cache.internal.EntryTable;
import dev.millrace.core.Sequence;
import dev.millrace.stress.spec.Counts;
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
 * @param <K> the keys
 * @param <V> the values
 */
final class CacheWorker<K, V> {
  private static final int BATCH = 256;
  private static final int SPOILED = 1_000; // every so many puts do wrong, if any do
  private static final int MOST_ITERATED = 2_000;
  private static final long MOST_TRIED = 10_000; // versions, of a value too short to tell
  private static final long TICK_NANOS = 1_000_000; // of expiry

  /** What the first worker does wrong, to see that it is noticed. */
  enum Fault {
    /** Nothing. */
    NONE,
    /** Stores the bytes of two versions. */
    TEAR,
    /** Stores the value of another key. */
    MIX,
    /** Stores an older version. */
    STALE,
    /** Removes nothing. */
    KEEP,
    /** Nothing, but the cache is not closed. */
    LEAK
  }

  /** What a loader throws. */
  private static final class Planned extends RuntimeException {
    private static final long serialVersionUID = 1;

    Planned() {
      super("planned", null, false, false);
    }
  }

  private final OffHeapCache<K, V> cache;
  private final CacheForm<K, V> form;
  private final CacheVersions versions;
  private final int longest;
  private final long expireNanos; // or 0
  private final int index;
  private final Fault fault;
  private final SplittableRandom random;
  private final int[] bounds; // by key: what this thread has seen and missed
  private final long[] storedAt; // by key, of its own, if keys expire
  private final CacheValue seen = new CacheValue();
  private final Sequence steps = new Sequence();

  private int loadedKey;
  private long loadedVersion; // 0 if this thread's loader was not called
  private long puts;
  private long stored;
  private long found;
  private long missed;
  private long joined;
  private long loads;
  private long loadFailures;
  private long lookups;
  private long rejected;
  private long iterated;
  private long cleared;
  private long readBytes;

  CacheWorker(
      OffHeapCache<K, V> cache,
      CacheForm<K, V> form,
      CacheVersions versions,
      int longest,
      long expireNanos,
      int index,
      long seed,
      Fault fault) {
    this.cache = cache;
    this.form = form;
    this.versions = versions;
    this.longest = longest;
    this.expireNanos = expireNanos;
    this.index = index;
    this.fault = fault;
    this.random = new SplittableRandom(seed);
    this.bounds = new int[versions.keys()];
    this.storedAt = expireNanos == 0 ? null : new long[versions.keys()];
  }

  /** How many operations it has done, at any time. */
  long steps() {
    return steps.getOpaque();
  }

  /** What it has done, once it has ended. */
  Counts counts() {
    return new Counts()
        .add("records", steps())
        .add("lookups", lookups)
        .add("found", found)
        .add("missed", missed)
        .add("loaded", loads)
        .add("not loaded", loadFailures)
        .add("told of failures", joined)
        .add("stored", stored)
        .add("too large", rejected)
        .add("iterated", iterated)
        .add("cleared", cleared)
        .add("bytes found", readBytes);
  }

  /** Works until it is over. */
  void run(BooleanSupplier isOver) throws InterruptedException {
    while (!isOver.getAsBoolean()) {
      for (int i = 0; i < BATCH; i++) {
        step();
      }
      steps.setOpaque(steps.getPlain() + BATCH);
    }
  }

  private void step() throws InterruptedException {
    long draw = random.nextLong();
    int key = drawKey(draw);
    int own = versions.nearest(key, index);
    int choice = (int) draw & 0xFF;
    if (choice < 130) {
      read(key);
    } else if (choice < 180) {
      get(key);
    } else if (choice < 195) {
      load(versions.nearestLoaded(key));
    } else if (choice < 235) {
      put(versions.nearestStored(own));
    } else if (choice < 245) {
      putIfAbsent(versions.nearestStored(own));
    } else if (choice < 254) {
      remove(own);
    } else {
      rarely((int) (draw >>> 8) & 0x3FFF, own);
    }
  }

  private void rarely(int choice, int own) {
    if (choice < 0x400) {
      putTooLarge(own);
    } else if (choice < 0x420) {
      iterate(MOST_ITERATED);
    } else if (choice < 0x424) {
      clear();
    }
  }

  /** Small numbers are drawn more often: half of the draws are of an eighth of the keys. */
  private int drawKey(long draw) {
    double part = (draw >>> 32) * 0x1p-32;
    return (int) (part * part * part * versions.keys());
  }

  // ---- checks ----

  private boolean isKnown(int key) {
    return versions.ownerOf(key) == index && !versions.isLoaded(key);
  }

  /** Checks a value that was just looked at; returns its version. */
  private long check(int key, long bound) {
    if (!seen.isWhole) {
      throw new AssertionError("torn value: " + described(key));
    }
    long newest = versions.newest(key);
    if (seen.size < Long.BYTES) {
      return checkShort(key, bound, newest);
    }
    long version = CacheValue.versionOf(seen.identity);
    if (CacheValue.keyOf(seen.identity) != key) {
      throw new AssertionError("value must be of its key: " + described(key));
    }
    if (seen.size != CacheValue.sizeOf(seen.identity, longest)) {
      throw new AssertionError("size must be that of its version: " + described(key));
    }
    checkVersion(key, version, bound, newest);
    return version;
  }

  private void checkVersion(int key, long version, long bound, long newest) {
    if (!CacheVersions.isAllowed(version, bound) || version > newest) {
      throw new AssertionError(
          "version must be in %s..%s: is %d, %s"
              .formatted(bound / 2.0, newest, version, described(key)));
    }
    if (isKnown(key) && CacheVersions.from(version) != versions.bound(key)) {
      throw new AssertionError(
          "version must be the owner's last, %s: is %d, %s"
              .formatted(versions.bound(key) / 2.0, version, described(key)));
    }
  }

  /** Of a value that is too short to say what it is: it must be that of an allowed version. */
  private long checkShort(int key, long bound, long newest) {
    long oldest = (bound + 1) / 2;
    for (long version = oldest; version <= newest; version++) {
      if (version - oldest == MOST_TRIED
          || seen.mayBe(CacheValue.identity(key, version), longest)) {
        return version;
      }
    }
    throw new AssertionError(
        "version must be in %s..%s: is none of them, %s"
            .formatted(bound / 2.0, newest, described(key)));
  }

  private String described(int key) {
    return "key=%d, owner=%d, reader=%d, size=%d, identity=%016x is key %d, version %d"
        .formatted(
            key,
            versions.ownerOf(key),
            index,
            seen.size,
            seen.identity,
            CacheValue.keyOf(seen.identity),
            CacheValue.versionOf(seen.identity));
  }

  /** The bound of a key for this thread: nothing that it has seen or missed comes back. */
  private long bound(int key) {
    return Math.max(bounds[key], versions.bound(key));
  }

  /** Learns what a lookup has found. */
  private void learn(int key, long bound, boolean isFound) {
    if (isFound) {
      bounds[key] = Math.toIntExact(CacheVersions.from(check(key, bound)));
      readBytes += seen.size;
      found++;
    } else {
      bounds[key] = Math.toIntExact(CacheVersions.afterMiss(bound));
      missed++;
    }
  }

  private long nanos() {
    return storedAt == null ? 0 : System.nanoTime();
  }

  private void noteStored(int key) {
    if (storedAt != null) {
      storedAt[key] = System.nanoTime();
    }
  }

  /** Of its own keys it knows when they were stored. */
  private void checkAge(int key, long now) {
    if (storedAt != null && isKnown(key) && now - storedAt[key] > expireNanos + TICK_NANOS) {
      throw new AssertionError(
          "value must have expired: nanos=" + (now - storedAt[key]) + ", " + described(key));
    }
  }

  // ---- looking up ----

  private void read(int key) {
    long bound = bound(key);
    long now = nanos();
    boolean isFound = cache.read(form.keyOf().apply(key), seen) != null;
    lookups++;
    learn(key, bound, isFound);
    if (isFound) {
      checkAge(key, now);
    }
  }

  private void get(int key) {
    long bound = bound(key);
    long now = nanos();
    V value = cache.get(form.keyOf().apply(key));
    lookups++;
    if (value != null) {
      form.look().accept(value, seen);
      checkAge(key, now);
    }
    learn(key, bound, value != null);
  }

  /**
   * Another thread's load may never be stored, so a version that was returned here may be newer
   * than what comes next.
   */
  private void load(int key) throws InterruptedException {
    long bound = bound(key);
    loadedKey = key;
    loadedVersion = 0;
    V value;
    lookups++;
    try {
      value = cache.get(form.keyOf().apply(key), this::load);
    } catch (Planned e) {
      if (loadedVersion == 0) {
        throw new AssertionError("another thread's failure must be wrapped", e);
      }
      loadFailures++;
      return;
    } catch (CompletionException e) {
      if (loadedVersion != 0 || !(e.getCause() instanceof Planned)) {
        throw e;
      }
      joined++;
      return;
    }
    form.look().accept(value, seen);
    long version = check(key, bound);
    if (loadedVersion != 0) {
      loads++;
      if (seen.size >= Long.BYTES) {
        Counts.check("version that was loaded", version, loadedVersion);
      }
    }
  }

  private V load(K key) {
    Counts.check("key to load", form.numberOf().applyAsLong(key), loadedKey);
    loadedVersion = versions.begin(loadedKey);
    int choice = (int) loadedVersion & 15;
    if (choice < 2) {
      Thread.yield(); // others may come and wait, or change the key
    }
    if (choice == 0) {
      throw new Planned();
    }
    return value(loadedKey, loadedVersion);
  }

  /** Goes through the entries, or some; returns how many bytes they take. */
  long iterate(int most) {
    BitSet own = new BitSet();
    long bytes = 0;
    Iterator<Map.Entry<K, V>> entries = cache.iterator();
    for (int i = 0; i < most && entries.hasNext(); i++) {
      Map.Entry<K, V> entry = entries.next();
      int key = (int) form.numberOf().applyAsLong(entry.getKey());
      form.look().accept(entry.getValue(), seen);
      long version = check(key, bounds[key]);
      bounds[key] = Math.toIntExact(CacheVersions.from(version));
      iterated++;
      if (isKnown(key)) {
        if (own.get(key)) {
          throw new AssertionError("iteration must return a key once: " + described(key));
        }
        own.set(key);
      }
      bytes += EntryTable.entryBytes(form.keys().size(entry.getKey()), seen.size);
    }
    return bytes;
  }

  // ---- changing ----

  private V value(int key, long version) {
    long identity = CacheValue.identity(key, version);
    return form.valueOf().make(identity, CacheValue.sizeOf(identity, longest));
  }

  private V valueToPut(int key, long version) {
    if (fault == Fault.NONE || ++puts % SPOILED != 0) {
      return value(key, version);
    }
    return switch (fault) {
      case TEAR -> torn(key, version);
      case MIX -> value((key + 1) % versions.keys(), version);
      case STALE -> value(key, Math.max(0, version - 1));
      default -> value(key, version);
    };
  }

  /** The value with its last byte of another version. */
  private V torn(int key, long version) {
    V value = value(key, version);
    if (value instanceof byte[] array && array.length > Long.BYTES) {
      array[array.length - 1]++;
    }
    return value;
  }

  private void put(int key) {
    long version = versions.begin(key);
    if (!cache.put(form.keyOf().apply(key), valueToPut(key, version))) {
      throw new AssertionError("value must not be too large: key=" + key + ", version=" + version);
    }
    noteStored(key);
    stored++;
    versions.raise(key, CacheVersions.from(version));
  }

  private void putIfAbsent(int key) {
    long bound = bound(key);
    long version = versions.begin(key);
    V present = cache.putIfAbsent(form.keyOf().apply(key), valueToPut(key, version));
    if (present == null) {
      noteStored(key);
      stored++;
      versions.raise(key, CacheVersions.from(version));
    } else {
      form.look().accept(present, seen);
      learn(key, bound, true);
      found--; // not a lookup
    }
  }

  private void remove(int key) {
    long bound = bound(key);
    long newest = versions.newest(key);
    boolean was = fault != Fault.KEEP && cache.remove(form.keyOf().apply(key));
    if (was && isKnown(key) && bound == CacheVersions.afterMiss(bound)) {
      throw new AssertionError("key must be gone: key=" + key + ", bound=" + bound / 2.0);
    }
    versions.raise(key, CacheVersions.after(newest));
  }

  /** What is too large is not stored, and what was there before is gone. */
  private void putTooLarge(int key) {
    long newest = versions.newest(key);
    int size = Math.toIntExact(cache.maxEntryBytes());
    V value = form.valueOf().make(CacheValue.identity(key, newest), size);
    if (cache.put(form.keyOf().apply(key), value)) {
      throw new AssertionError("value must be too large: size=" + size);
    }
    rejected++;
    versions.raise(key, CacheVersions.after(newest));
  }

  private void clear() {
    long[] newest = new long[versions.keysEach()];
    for (int i = 0; i < newest.length; i++) {
      newest[i] = versions.newest(versions.key(index, i));
    }
    cache.clear();
    cleared++;
    for (int i = 0; i < newest.length; i++) {
      versions.raise(versions.key(index, i), CacheVersions.after(newest[i]));
    }
  }
}
