package dev.millrace.stress.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The shards of an {@link dev.millrace.cache.OffHeapCache}, whose readers take no lock. Each is so
 * small that two puts or three use the memory of an entry again: see {@link
 * dev.millrace.stress.trial.SmallShard}.
 */
public final class CacheStress {
  private CacheStress() {}

  /**
   * Hazard: a reader takes words of two entries for a value, or the value of the key that now has
   * the memory; or it finds an entry that it has already missed.
   *
   * <p>Known to fail: {@code EntryTable.isValid} that always returns true.
   *
   * <p>{@code stress/prove --all Shard_NoTornRead}
   */
  @JCStressTest
  @State
  @Description(
      "A reader of a key whose memory is used for another gets its value, nothing, or the new one.")
  @Outcome(id = "1, [012]", expect = Expect.ACCEPTABLE, desc = "Found at first.")
  @Outcome(
      id = "0, [02]",
      expect = Expect.ACCEPTABLE,
      desc = "Had been evicted; may have returned.")
  @Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "Had been stored again.")
  @Outcome(id = ".*-99.*", expect = Expect.FORBIDDEN, desc = "Torn.")
  @Outcome(id = "0, 1", expect = Expect.FORBIDDEN, desc = "Was gone, and came back.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "An older value, or another key's.")
  public static class Shard_NoTornRead {
    private static final long[] KEYS = {1, 2, 3}; // the oldest leaves first
    private static final Pool<ShardTrial> POOL = new Pool<>(() -> new ShardTrial(KEYS));

    private final ShardTrial trial = POOL.take();

    @Actor
    public void writer() {
      trial.shard.put(trial.first, 4, 4);
      trial.shard.put(trial.first, 5, 5);
      trial.shard.put(trial.first, 1, 2);
    }

    @Actor
    public void reader(II_Result r) {
      r.r1 = trial.read(1);
      r.r2 = trial.readAgain(1);
    }

    @Arbiter
    public void owner() {
      trial.beginWith(KEYS);
      trial.giveBack();
    }
  }

  /**
   * Hazard: between the old value and the new one a reader finds none, or it follows the old word
   * to memory that has a later value, and takes half of it.
   *
   * <p>Known to fail: {@code Shard.put} that frees the slot before it writes the new entry.
   *
   * <p>{@code stress/prove --all Shard_ReplacementIsNeverAbsent}
   */
  @JCStressTest
  @State
  @Description("A key that is stored again and again is always found, and never older than before.")
  @Outcome(
      id = {"1, [1-4], 4", "2, [2-4], 4", "3, [34], 4", "4, 4, 4"},
      expect = Expect.ACCEPTABLE,
      desc = "Found, and later not older.")
  @Outcome(id = ".*-99.*", expect = Expect.FORBIDDEN, desc = "Torn.")
  @Outcome(
      id = {"0, .*", "., 0, ."},
      expect = Expect.FORBIDDEN,
      desc = "Absent.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "An older value came after a newer one.")
  public static class Shard_ReplacementIsNeverAbsent {
    private static final long[] KEYS = {1, 1, 1}; // so that what is passed is dead
    private static final Pool<ShardTrial> POOL = new Pool<>(() -> new ShardTrial(KEYS));

    private final ShardTrial trial = POOL.take();

    @Actor
    public void writer() {
      trial.shard.put(trial.first, 1, 2);
      trial.shard.put(trial.first, 1, 3);
      trial.shard.put(trial.first, 1, 4);
    }

    @Actor
    public void reader(III_Result r) {
      r.r1 = trial.read(1);
      r.r2 = trial.readAgain(1);
    }

    @Arbiter
    public void owner(III_Result r) {
      r.r3 = trial.read(1);
      trial.beginWith(KEYS);
      trial.giveBack();
    }
  }

  /**
   * Hazard: who finds a value does not see what its writer did before.
   *
   * <p>Known to fail: a writer that stores first.
   *
   * <p>{@code stress/prove --all Shard_PutPublishes}
   */
  @JCStressTest
  @State
  @Description("What a thread wrote before it stored a value is seen by who finds that.")
  @Outcome(id = "0, [01]", expect = Expect.ACCEPTABLE, desc = "Not stored yet; the data race.")
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "Stored, and all is there.")
  @Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "Stored, but a write is missing.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A value that nobody wrote.")
  public static class Shard_PutPublishes {
    private static final Pool<ShardTrial> POOL = new Pool<>(ShardTrial::new);

    private final ShardTrial trial = POOL.take();
    private int data;

    @Actor
    public void writer() {
      data = 1;
      trial.shard.put(trial.first, 1, 1);
    }

    @Actor
    public void reader(II_Result r) {
      r.r1 = trial.read(1);
      r.r2 = data;
    }

    @Arbiter
    public void owner() {
      trial.beginWith();
      trial.giveBack();
    }
  }

  /**
   * Hazard: of two that store at the same time both take the same memory or the same slot, and one
   * entry is lost; or both find that a key is absent, and store it.
   *
   * <p>Known to fail: {@code SmallShard.putUnlocked}.
   *
   * <p>{@code stress/prove --all Shard_TwoWritersKeepBoth}
   */
  @JCStressTest
  @State
  @Description("Of two that store a key of their own and one unless it is there, no entry is lost.")
  @Outcome(id = "1, 0, 123", expect = Expect.ACCEPTABLE, desc = "The left one was first.")
  @Outcome(id = "0, 1, 124", expect = Expect.ACCEPTABLE, desc = "The right one was first.")
  @Outcome(
      id = {"0, 0, .*", "1, 1, .*"},
      expect = Expect.FORBIDDEN,
      desc = "Not exactly one has stored the third key.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "An entry is lost, torn, or another's.")
  public static class Shard_TwoWritersKeepBoth {
    private static final Pool<ShardTrial> POOL = new Pool<>(ShardTrial::new);

    private final ShardTrial trial = POOL.take();

    @Actor
    public void left(III_Result r) {
      trial.shard.put(trial.first, 1, 1);
      r.r1 = trial.shard.putIfAbsent(trial.first, 3, 3) ? 1 : 0;
    }

    @Actor
    public void right(III_Result r) {
      trial.shard.put(trial.second, 2, 2);
      r.r2 = trial.shard.putIfAbsent(trial.second, 3, 4) ? 1 : 0;
    }

    @Arbiter
    public void owner(III_Result r) {
      r.r3 = 100 * trial.read(1) + 10 * trial.read(2) + trial.read(3);
      trial.beginWith();
      trial.giveBack();
    }
  }
}
