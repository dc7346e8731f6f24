package dev.millrace.bench.candles;

import dev.millrace.bench.harness.Child;
import java.util.List;

/**
 * What the client's JVM does: it starts a server, gives it trades and asks it for candles.
 *
 * @param load the trades, the queries, and how many threads ask
 * @param caches whether the server caches answers
 * @param flags of the server's JVM
 */
record ServeTrial(LoadSettings load, boolean caches, List<String> flags)
    implements Child.Job<ServeResult> {
  @Override
  public ServeResult run() throws Exception {
    try (ServeRun run = new ServeRun(this)) {
      return run.run();
    }
  }

  @Override
  public String toString() {
    return load.engine() + (caches ? "" : ", no cache");
  }
}
