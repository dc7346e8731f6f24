package dev.millrace.bench.candles;

import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Pauses;
import dev.millrace.bench.harness.Pauses.Pause;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What a run showed.
 *
 * @param settings what was asked for
 * @param cutShort whether the run was ended before all was done, because it took twice as long
 * @param writes trades taken by the engine, from when each was due; flat out, trades placed
 * @param queries answers taken, from when each was due
 * @param mostBehind how many trades the engine had taken but not placed, at most, at a query
 * @param memory what the JVM did
 * @param trades all that were written, also those before the measured part
 * @param checked the answers, also those before the measured part
 */
record LoadResult(
    LoadSettings settings,
    boolean cutShort,
    Rate writes,
    Rate queries,
    long mostBehind,
    Memory memory,
    long trades,
    AnswerChecker.Result checked) {

  /**
   * How often something was done.
   *
   * @param times how long each took, as {@link Latencies} encodes them; null if only counted
   */
  record Rate(long count, double perSecond, String times) {
    static Rate of(Histogram times, double seconds) {
      long count = times.getTotalCount();
      return new Rate(count, count / seconds, Latencies.encode(times));
    }
  }

  /**
   * What the JVM did in the measured part.
   *
   * @param millis how long that took
   * @param pauses of all threads
   * @param allocatedBytes on the heap, by all threads
   * @param objects how many these bytes were, by their sizes in a sample
   * @param held after it, the engine still open
   */
  record Memory(
      double millis,
      long collections,
      List<Pause> pauses,
      long allocatedBytes,
      double objects,
      HeldMemory held) {
    private static final double MINUTE_MILLIS = 60_000;

    /** The part of the time in which the collector stopped all threads. */
    double pausedShare() {
      return Pauses.totalMillis(pauses) / millis;
    }

    /** Pauses of collections of the old generation, or of the young one. */
    List<Pause> pauses(boolean old) {
      return Pauses.ofOld(pauses, old);
    }

    /** How many in a minute some are in the measured part. */
    double perMinute(double count) {
      return count * MINUTE_MILLIS / millis;
    }
  }
}
