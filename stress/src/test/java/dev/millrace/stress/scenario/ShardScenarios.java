package dev.millrace.stress.scenario;

import dev.millrace.cache.EvictionListener.Cause;
import dev.millrace.cache.internal.EntryTable;
import dev.millrace.cache.internal.Probe;
import dev.millrace.cache.internal.Shard;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.Speculative;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Readers of a shard, which take no lock, beside a writer that replaces, moves, evicts and removes
 * entries. A segment holds one entry or two, so its memory is soon used again.
 */
@ScenariosOf("Shard")
public final class ShardScenarios extends Steps {
  private static final VarHandle WORD = Ring.STAMP;
  private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle().withInvokeExactBehavior();
  private static final long HASH = 7; // of all keys
  private static final long ABSENT = -1;
  private static final long TORN = -2;
  private static final int BIG = 10; // versions of a key are below it

  /** A shard, and what its only thread or its owner does with it. */
  private static final class Cache {
    private final Shard shard;
    private final EntryTable table;
    private int left;
    private int firstLeft; // how often it was key 1
    private long lastLeft;
    private Cause lastCause;

    Cache(int segments, int segmentShift, long maxEntries, long buckets) {
      long bytes = EntryTable.overheadBytes(buckets, segments) + ((long) segments << segmentShift);
      MemorySegment memory = NativeMemory.allocate(bytes).segment();
      table = new EntryTable(memory, buckets, segments, segmentShift);
      shard =
          new Shard(
              table,
              maxEntries,
              (keyAt, keyBytes, valueAt, valueBytes, cause) -> {
                left++;
                lastLeft = (long) WORD.get(memory, valueAt);
                firstLeft += lastLeft / BIG == 1 ? 1 : 0;
                lastCause = cause;
              });
    }

    /** Five segments of one entry, of which three can be used. */
    static Cache small() {
      return new Cache(5, 6, Long.MAX_VALUE, 1);
    }

    void put(Probe probe, long key, long version) {
      put(probe, key, version, EntryTable.NEVER, 0);
    }

    void put(Probe probe, long key, long version, long expiry, long now) {
      use(probe, key);
      long at = probe.startValue(2 * Long.BYTES);
      WORD.set(probe.memory(), at, key * BIG + version);
      WORD.set(probe.memory(), at + Long.BYTES, key * BIG + version);
      shard.lock();
      shard.put(probe, expiry, now);
      shard.unlock();
    }

    boolean remove(Probe probe, long key) {
      use(probe, key);
      shard.lock();
      boolean was = shard.remove(probe, 0);
      shard.unlock();
      return was;
    }

    /** Returns what the key has, {@link #ABSENT}, or fails. */
    long get(Simulation run, Probe probe, long key) {
      return get(run, probe, key, 0);
    }

    long get(Simulation run, Probe probe, long key, long now) {
      use(probe, key);
      while (table.find(probe, now)) {
        long value = read(probe);
        if (table.isValid(probe)) {
          table.touch(probe);
          run.check(value != TORN && value / BIG == key, "key " + key + " has " + value);
          return value;
        }
      }
      return ABSENT;
    }

    /** Reads both words of a value, which are equal in each that was written. */
    @Speculative
    private long read(Probe probe) {
      MemorySegment memory = table.memory();
      long first = (long) WORD.get(memory, probe.valueAt());
      long second = (long) WORD.get(memory, probe.valueAt() + Long.BYTES);
      return first == second && probe.foundBytes() == 2 * Long.BYTES ? first : TORN;
    }

    @Speculative
    private byte byteAt(Probe probe, long index) {
      return (byte) BYTE.get(table.memory(), probe.valueAt() + index);
    }

    private static void use(Probe probe, long key) {
      WORD.set(probe.memory(), probe.startKey(Long.BYTES), key);
      probe.endKey(HASH);
    }
  }

  private static Probe probe() {
    return new Probe(NativeMemory.allocate(64).segment());
  }

  /** A reader that looks a key up, whose versions must not fall. */
  private static Body reads(Simulation run, Cache cache, int count, long key) {
    Probe probe = probe();
    long[] last = {ABSENT};
    return times(
        count,
        () -> {
          long value = cache.get(run, probe, key);
          run.check(value == ABSENT || value >= last[0], value + " came after " + last[0]);
          last[0] = Math.max(value, last[0]);
        });
  }

  // ---- one reader or two beside one writer ----

  @About("a key that is stored again and again is always found, and never older than before")
  public void readerBesideReplacement(Simulation run) {
    Cache cache = Cache.small();
    Probe writer = probe();
    cache.put(writer, 1, 0);
    run.thread("writer", rounds(4, i -> cache.put(writer, 1, 1 + i)));
    Probe probe = probe();
    long[] last = {0};
    Body read =
        () -> {
          long value = cache.get(run, probe, 1);
          run.check(value >= last[0], value + " came after " + last[0]);
          last[0] = value;
        };
    run.thread("reader", times(3, read));
    run.atEnd(() -> run.check(cache.get(run, probe(), 1) == BIG + 4, "not the last one"));
  }

  @About("a reader of a key whose memory is used for others reads its value or nothing")
  public void readerBesideEviction(Simulation run) {
    Cache cache = Cache.small();
    Probe writer = probe();
    cache.put(writer, 1, 1);
    run.thread("writer", rounds(5, i -> cache.put(writer, 2 + i, 1)));
    run.thread("reader", reads(run, cache, 2, 1));
    run.thread("another reader", reads(run, cache, 2, 2));
    run.atEnd(
        () -> run.check(cache.left + cache.shard.entries() == 6, "not all accounted for"),
        () -> run.check(cache.shard.liveBytes() == cache.shard.entries() * 40, "other bytes"));
  }

  @About("a key that is removed and stored again is absent only in between")
  public void readerBesideRemoval(Simulation run) {
    Cache cache = Cache.small();
    Probe writer = probe();
    cache.put(writer, 1, 1);
    Numbered change =
        i -> {
          run.check(cache.remove(writer, 1), "was not there");
          cache.put(writer, 2, 1 + i);
          cache.put(writer, 1, 2 + i);
        };
    run.thread("writer", rounds(2, change));
    run.thread("reader", reads(run, cache, 3, 1));
    run.thread("another reader", reads(run, cache, 2, 2));
    run.atEnd(
        () -> run.check(cache.get(run, probe(), 1) == BIG + 3, "not the last one"),
        () -> run.check(cache.lastLeft > 0, "what left was overwritten before"));
  }

  @About("an entry that is read is moved and not evicted, and found wherever it is meanwhile")
  public void readerBesideMove(Simulation run) {
    Cache cache = Cache.small();
    Probe writer = probe();
    cache.put(writer, 1, 1);
    Probe reader = probe();
    boolean[] missed = new boolean[1];
    run.thread("writer", rounds(5, i -> readAndPut(run, cache, writer, 2 + i)));
    Body read =
        () -> {
          if (cache.get(run, reader, 1) == ABSENT) {
            missed[0] = true;
          }
        };
    run.thread("reader", times(3, read));
    run.atEnd(
        () -> run.check(cache.shard.moves() > 0, "was not moved"),
        () -> run.check(cache.firstLeft > 0 || !missed[0], "not found though it was there"),
        () ->
            run.check((cache.get(run, probe(), 1) == ABSENT) == cache.firstLeft > 0, "told other"));
  }

  /** Reads key 1 until it is worth to be moved, unless its counts fail; then stores another. */
  private static void readAndPut(Simulation run, Cache cache, Probe writer, long key) {
    cache.get(run, writer, 1);
    cache.get(run, writer, 1);
    cache.put(writer, key, 1);
  }

  @About("once the cache is cleared, its memory is used again beside readers of what was there")
  public void readerBesideClear(Simulation run) {
    Cache cache = Cache.small();
    Probe writer = probe();
    cache.put(writer, 1, 1);
    run.thread(
        "writer",
        () -> {
          cache.shard.lock();
          cache.shard.clear(0);
          cache.shard.unlock();
          cache.put(writer, 2, 1);
          cache.put(writer, 3, 1);
        });
    run.thread("reader", reads(run, cache, 2, 1));
    run.thread("another reader", reads(run, cache, 2, 3));
    run.atEnd(
        () -> run.check(cache.get(run, probe(), 1) == ABSENT, "still there"),
        () -> run.check(cache.shard.entries() == 2, "entries " + cache.shard.entries()),
        () -> run.check(cache.left == 1 && cache.lastCause == Cause.REMOVED, "not told of it"));
  }

  @About("two keys of one bucket do not stand in for each other while both change")
  public void keysOfOneBucket(Simulation run) {
    Cache cache = new Cache(12, 7, 2, 1);
    Probe writer = probe();
    cache.put(writer, 1, 1);
    cache.put(writer, 2, 1);
    run.thread(
        "writer",
        rounds(
            2,
            i -> {
              cache.remove(writer, 1 + i);
              cache.put(writer, 3 + i, 1);
              cache.put(writer, 1 + i, 2);
            }));
    run.thread("reader", reads(run, cache, 2, 1));
    run.thread("another reader", reads(run, cache, 2, 2));
    run.atEnd(() -> run.check(cache.shard.entries() == 2, "entries " + cache.shard.entries()));
  }

  @About("what a thread did before it stored a value is seen by who reads that")
  public void putPublishes(Simulation run) {
    Cache cache = Cache.small();
    Probe writer = probe();
    Probe reader = probe();
    publishes(run, () -> cache.put(writer, 1, 1), () -> cache.get(run, reader, 1) != ABSENT);
  }

  @About("what a thread did before it stored a value is seen by who reads it once it was read")
  public void touchKeepsPublishing(Simulation run) {
    Cache cache = Cache.small();
    Probe writer = probe();
    Probe[] readers = {probe(), probe()};
    publishes(
        run,
        () -> cache.put(writer, 1, 1),
        () -> cache.get(run, readers[0], 1) != ABSENT,
        () -> cache.get(run, readers[1], 1) != ABSENT);
  }

  @About("an entry that has expired is not found, before and after its memory is used again")
  public void readerBesideExpiry(Simulation run) {
    Cache cache = Cache.small();
    Probe writer = probe();
    cache.put(writer, 1, 1, 5, 0);
    run.thread("writer", rounds(3, i -> cache.put(writer, 2 + i, 1, 20, 10)));
    Probe probe = probe();
    run.thread(
        "reader",
        () -> run.check(cache.get(run, probe, 1, 5) == ABSENT, "found though expired"),
        () -> cache.get(run, probe, 1, 4),
        () -> cache.get(run, probe, 2, 19));
    run.atEnd(
        () -> run.check(cache.left > 0, "nothing has left"),
        () -> {
          Probe last = probe();
          run.check(cache.get(run, last, 4, 19) == 4 * BIG + 1, "not there before it expires");
          run.check(cache.get(run, last, 4, 20) == ABSENT, "there when it has expired");
        });
  }

  @About("a value that is stored from an array is read whole while its memory is used again")
  public void arrayIsStored(Simulation run) {
    Cache cache = Cache.small();
    Probe writer = probe();
    Numbered put =
        i -> {
          Cache.use(writer, 1 + i);
          writer.useArray(new byte[] {(byte) (1 + i), (byte) (1 + i)});
          cache.shard.lock();
          cache.shard.put(writer, EntryTable.NEVER, 0);
          cache.shard.unlock();
        };
    run.thread("writer", rounds(4, put));
    Probe probe = probe();
    Body read =
        () -> {
          Cache.use(probe, 1);
          while (cache.table.find(probe, 0)) {
            boolean isWhole = cache.byteAt(probe, 0) == 1 && cache.byteAt(probe, 1) == 1;
            if (cache.table.isValid(probe)) {
              run.check(isWhole && probe.foundBytes() == 2, "not what was stored");
              return;
            }
          }
        };
    run.thread("reader", read);
  }

  // ---- all entries ----

  @About("whoever walks the index beside a writer sees whole entries, and all that stay")
  public void walkBesideWriter(Simulation run) {
    Cache cache = Cache.small();
    Probe writer = probe();
    cache.put(writer, 1, 1);
    run.thread("writer", rounds(3, i -> readAndPut(run, cache, writer, 2 + i)));
    Probe walker = probe();
    int[] walksWithout = new int[1];
    Body walk =
        () -> {
          int seen = walk(run, cache, walker);
          run.check(seen <= 1, "seen twice");
          walksWithout[0] += 1 - seen;
        };
    run.thread("walker", walk, walk);
    run.atEnd(
        () -> run.check(cache.firstLeft > 0 || walksWithout[0] == 0, "one that stays was not seen"),
        () -> run.check(walk(run, cache, probe()) == 1 - cache.firstLeft, "told other"));
  }

  /** Sees each entry, and returns how often key 1 was seen. */
  private static int walk(Simulation run, Cache cache, Probe probe) {
    int seen = 0;
    long slot = cache.table.findFrom(0, probe, 0);
    while (slot >= 0) {
      long value = cache.read(probe);
      long key = keyFound(cache, probe);
      if (cache.table.isValid(probe)) {
        run.check(value != TORN && value / BIG == key, "key " + key + " has " + value);
        run.check(probe.foundKeyBytes() == Long.BYTES, "key bytes " + probe.foundKeyBytes());
        seen += key == 1 ? 1 : 0;
        slot++;
      }
      slot = cache.table.findFrom(slot, probe, 0);
    }
    return seen;
  }

  @Speculative
  private static long keyFound(Cache cache, Probe probe) {
    return (long) WORD.get(cache.table.memory(), probe.keyAt());
  }

  // ---- several writers ----

  @About("writers take turns, and neither's entry is lost")
  public void writersTakeTurns(Simulation run) {
    Cache cache = new Cache(8, 7, Long.MAX_VALUE, 1);
    Probe[] probes = {probe(), probe(), probe()};
    threads(
        run,
        3,
        "writer",
        i -> {
          cache.put(probes[i], 1 + i, 1);
          cache.put(probes[i], 1 + i, 2);
        });
    run.atEnd(
        () -> run.check(cache.shard.entries() == 3, "entries " + cache.shard.entries()),
        () -> run.check(cache.left == 3, "replaced " + cache.left),
        rounds(3, i -> run.check(cache.get(run, probe(), 1 + i) == (1 + i) * BIG + 2, "lost")));
  }

  // ---- what one thread does ----

  @About("reads are counted up to three, and what was read leaves after what was not")
  public void readsAreCounted(Simulation run) {
    Cache cache = new Cache(8, 7, 3, 1);
    Probe[] readers = {probe(), probe()};
    cache.put(probe(), 1, 1);
    cache.put(probe(), 2, 1);
    threads(run, 2, "reader", i -> times(6, () -> cache.get(run, readers[i], 1)).run());
    run.atEnd(
        rounds(3, i -> cache.put(probe(), 3 + i, 1)),
        () -> run.check(cache.get(run, probe(), 1) == BIG + 1, "was read, and has left"),
        () -> run.check(cache.get(run, probe(), 2) == ABSENT, "was not read, and is there"));
  }
}
