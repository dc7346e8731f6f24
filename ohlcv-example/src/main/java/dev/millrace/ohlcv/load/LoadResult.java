package dev.millrace.ohlcv.load;

/**
 * What a run showed.
 *
 * @param settings what was asked for
 * @param collector the garbage collectors of the JVM
 * @param cutShort whether the run was ended before all was done, for it took twice as long
 * @param writes trades taken by the engine, from when each was due; flat out, trades placed
 * @param queries answers taken, from when each was due
 * @param mostBehind how many trades the engine had taken but not placed, at most, at a query
 * @param garbage pauses and collections in the measured part
 * @param allocatedBytes on the heap, by all threads in the measured part
 * @param held memory after the run, the engine still open
 * @param trades all that were written, also those before the measured part
 * @param answers how many answers were checked, also those before the measured part
 * @param candles how many candles those had
 * @param wrong how many of the answers were wrong
 * @param example a wrong one; empty if there is none
 */
public record LoadResult(
    LoadSettings settings,
    String collector,
    boolean cutShort,
    Latencies writes,
    Latencies queries,
    long mostBehind,
    GarbageWatch.Garbage garbage,
    long allocatedBytes,
    HeldMemory.Held held,
    long trades,
    long answers,
    long candles,
    long wrong,
    String example) {
  private static final double MEGABYTE = 1e6;

  /** The rate at which all threads allocated. */
  public double allocatedMegabytesPerSecond() {
    return allocatedBytes / MEGABYTE / settings.seconds();
  }

  /** What is held on the heap. */
  public double heapMegabytes() {
    return held.heapBytes() / MEGABYTE;
  }

  /** What is held off the heap. */
  public double nativeMegabytes() {
    return held.nativeBytes() / MEGABYTE;
  }

  /** What is held in all. */
  public double heldMegabytes() {
    return heapMegabytes() + nativeMegabytes();
  }
}
