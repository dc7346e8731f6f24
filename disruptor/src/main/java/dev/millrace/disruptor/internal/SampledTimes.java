package dev.millrace.disruptor.internal;

/** When every n-th event was published. */
public final class SampledTimes {
  /*
   * A slot belongs to its event as the ring's slot does: the producer writes it between claim and
   * commit, and the stages read it before they release the event, so the sequencer's releases order
   * its plain accesses. It is on the heap, since a producer may still commit while its pipeline is
   * closed.
   */
  private final long every;
  private final int shift;
  private final long[] nanos;

  /** Makes the times of a ring in which one event in {@code every}, a power of two, is sampled. */
  public SampledTimes(int every, int capacity) {
    this.every = every;
    this.shift = Integer.numberOfTrailingZeros(every);
    this.nanos = new long[Math.max(1, capacity >> shift)];
  }

  /** How many times there is room for. */
  public int slots() {
    return nanos.length;
  }

  /** Where the time of a sampled event is noted. */
  public int slotOf(long sequence) {
    return (int) (sequence >>> shift) & (nanos.length - 1);
  }

  /** The first sampled sequence from the given one on; the next is {@link #every} behind it. */
  public long firstFrom(long sequence) {
    return (sequence + every - 1) & -every;
  }

  /** The distance of the events that are sampled. */
  public long every() {
    return every;
  }

  /** Notes the time for the sampled ones of the events that are about to be published. */
  public void note(long first, long end) {
    long sequence = firstFrom(first);
    if (sequence < end) {
      long now = System.nanoTime();
      for (; sequence < end; sequence += every) {
        nanos[slotOf(sequence)] = now;
      }
    }
  }

  /** When a sampled event was published. */
  public long at(long sequence) {
    return nanos[slotOf(sequence)];
  }
}
