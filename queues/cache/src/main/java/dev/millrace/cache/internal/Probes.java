package dev.millrace.cache.internal;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The probes of a cache, a few for each processor, so that calls make no garbage and virtual
 * threads need no probes of their own. While all probes are taken, a call makes one for itself.
 */
public final class Probes {
  private static final int PER_PROCESSOR = 4;
  private static final long OWN_BYTES = 1 << 14;

  private final NativeMemory owned;
  private final Place[] places;
  private final int mask;
  private final Sequence otherHits = new Sequence();
  private final Sequence otherMisses = new Sequence();

  /** A probe that calls use in turn. */
  private static final class Place {
    /*
     * A  use.setRelease in leave  ->  use.weakCompareAndSetPlain in tryEnter,    all of the probe
     *                                 then acquireFence
     */
    private static final long FREE = 0;
    private static final long TAKEN = 1;

    private final Probe probe;
    private final Sequence use = new Sequence(FREE);
    private final Sequence hits = new Sequence();
    private final Sequence misses = new Sequence();

    Place(MemorySegment own, int index) {
      this.probe = new Probe(own, index);
    }

    boolean tryEnter() {
      // opaque: while it is taken, a read costs less than an update. plain: the fence orders it
      if (use.getOpaque() != FREE || !use.weakCompareAndSetPlain(FREE, TAKEN)) {
        return false;
      }
      VarHandle.acquireFence(); // acquire A: what the last user left
      return true;
    }

    void leave() {
      use.setRelease(FREE); // release A: what this user leaves
    }

    void count(boolean isHit) {
      Sequence counter = isHit ? hits : misses;
      counter.setOpaque(counter.getPlain() + 1); // opaque: a count. plain: the user's alone
    }
  }

  /** Makes the probes. */
  public Probes() {
    this(PER_PROCESSOR * Runtime.getRuntime().availableProcessors(), OWN_BYTES);
  }

  /**
   * Makes {@code least} probes, or more if that is not a power of two. Each has {@code ownBytes} of
   * memory, which must be a multiple of 8.
   */
  public Probes(int least, long ownBytes) {
    int count = Integer.highestOneBit(2 * least - 1);
    this.owned = NativeMemory.allocate(count * ownBytes);
    this.mask = count - 1;
    this.places = new Place[count];
    for (int i = 0; i < count; i++) {
      places[i] = new Place(owned.segment().asSlice(i * ownBytes, ownBytes), i);
    }
  }

  /** Takes a probe that no other call has. The caller must {@link #give} it back. */
  public Probe take() {
    int home = (int) Thread.currentThread().threadId();
    for (int i = 0; i <= mask; i++) {
      Place place = places[(home + i) & mask];
      if (place.tryEnter()) {
        return place.probe;
      }
    }
    return new Probe(MemorySegment.NULL, Probe.NO_PLACE);
  }

  /** Gives back a probe that this thread took. */
  public void give(Probe probe) {
    probe.clear();
    if (probe.place() != Probe.NO_PLACE) {
      places[probe.place()].leave();
    }
  }

  /** Counts a lookup for which this thread took {@code probe}. */
  public void count(Probe probe, boolean isHit) {
    if (probe.place() != Probe.NO_PLACE) {
      places[probe.place()].count(isHit);
    } else {
      countOther(isHit ? otherHits : otherMisses);
    }
  }

  private static void countOther(Sequence counter) {
    long count;
    do {
      count = counter.getOpaque(); // opaque: the update checks it
    } while (!counter.weakCompareAndSetPlain(count, count + 1)); // plain: a count
  }

  /** Returns how many lookups found their key. */
  public long hits() {
    long sum = otherHits.getOpaque(); // opaque: a count
    for (Place place : places) {
      sum += place.hits.getOpaque(); // opaque: a count
    }
    return sum;
  }

  /** Returns how many lookups did not find their key. */
  public long misses() {
    long sum = otherMisses.getOpaque(); // opaque: a count
    for (Place place : places) {
      sum += place.misses.getOpaque(); // opaque: a count
    }
    return sum;
  }

  /**
   * Frees the memory of the probes. Calls that use it fail with an {@link IllegalStateException},
   * whose message names {@code owner}.
   */
  public void close(Object owner) {
    owned.close(owner);
  }
}
