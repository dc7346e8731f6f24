package dev.millrace.bench.candles;

import java.util.List;

/** A command that runs engines in the JVM that loads them. */
abstract class EngineRounds extends LoadRounds<LoadSettings, LoadResult> {
  EngineRounds() {
    super(LoadResult.class);
  }

  @Override
  protected final String tables(List<LoadResult> results, int processors) {
    return new CandleTables(results, processors).markdown();
  }

  @Override
  protected final boolean isWrong(LoadResult result) {
    return result.checked().wrong() > 0;
  }
}
