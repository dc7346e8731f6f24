package dev.millrace.bench.candles;

import dev.millrace.bench.candles.LoadResult.Rate;
import dev.millrace.bench.harness.Pauses.Pause;
import java.util.List;

/**
 * What a run showed.
 *
 * @param trial what was asked for
 * @param cutShort whether it was ended before all was done, because it took twice as long
 * @param tradesPerSecond that the server has placed
 * @param queries answers received, from when each query was due
 * @param behind by how many trades an answer for the newest candles was behind what had been sent,
 *     as {@link dev.millrace.bench.harness.Latencies} encodes it
 * @param hits answers that came from the cache
 * @param server what its JVM did in the measured part
 * @param checked the answers, also those before the measured part
 * @param errors answers that were none
 */
record ServeResult(
    ServeTrial trial,
    boolean cutShort,
    double tradesPerSecond,
    Rate queries,
    String behind,
    long hits,
    Server server,
    AnswerChecker.Result checked,
    long errors) {
  /**
   * What the server's JVM did in the measured part.
   *
   * @param seconds how long that took
   * @param processorSeconds of all its threads
   * @param collections how many
   * @param pauses of all threads
   * @param allocatedBytes on the heap, by all threads
   */
  record Server(
      double seconds,
      double processorSeconds,
      long collections,
      List<Pause> pauses,
      long allocatedBytes) {}
}
