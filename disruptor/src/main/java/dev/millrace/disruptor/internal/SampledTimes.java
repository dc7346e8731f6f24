package dev.millrace.disruptor.internal;

/** The times at which every n-th event was published. */
public final class SampledTimes {
  /*
   * A slot belongs to its event just as the ring's slot does. The producer writes it between claim
   * and commit, and the stages read it before they release the event. The sequencer's releases
   * therefore order the plain accesses. The slots are on the heap because a producer may still
   * commit while its pipeline is being closed.
   */
  private final long every;
  private final int shift;
  private final long[] nanos;

  /**
   * Makes the times for a ring of {@code capacity} slots. One event in {@code every}, a power of
   * two, is sampled.
   */
  public SampledTimes(int every, int capacity) {
    this.every = every;
    this.shift = Integer.numberOfTrailingZeros(every);
    this.nanos = new long[Math.max(1, capacity >> shift)];
  }

  /** Returns how many times there is room for. */
  public int slots() {
    return nanos.length;
  }

  /** Returns the slot that holds the time of a sampled event. */
  public int slotOf(long sequence) {
    return (int) (sequence >>> shift) & (nanos.length - 1);
  }

  /**
   * Returns the first sampled sequence from {@code sequence} on. The next one is {@link #every}
   * higher.
   */
  public long firstFrom(long sequence) {
    return (sequence + every - 1) & -every;
  }

  /** Returns the distance between sampled events. */
  public long every() {
    return every;
  }

  /**
   * Notes the time for the sampled ones among the events from {@code first} to before {@code end},
   * which are about to be published.
   */
  public void note(long first, long end) {
    long sequence = firstFrom(first);
    if (sequence < end) {
      long now = System.nanoTime();
      for (; sequence < end; sequence += every) {
        nanos[slotOf(sequence)] = now;
      }
    }
  }

  /** Returns when a sampled event was published. */
  public long at(long sequence) {
    return nanos[slotOf(sequence)];
  }
}
