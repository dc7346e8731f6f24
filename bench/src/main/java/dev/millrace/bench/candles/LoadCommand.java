package dev.millrace.bench.candles;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that runs engines at a fixed rate. */
@Command(
    name = "load",
    description = {
      "Writes trades and queries candles at fixed rates, and checks every answer.",
      "Without options: the article's scenario, 50,000 trades and 1,000 queries a second for a"
          + " minute. A query asks for the last 24 hours of a symbol, 1,440 candles of a minute."
          + " Trades follow from the seed; their clock runs fast, so that the run covers 30 hours."
    },
    footer = {
      "",
      "Latency is measured from when a trade or query was due, so that what a stall holds up counts"
          + " too (no coordinated omission). A run that cannot keep up is ended after twice its"
          + " time, and the tables say so.",
      "",
      "Exit codes: 0 done, 1 wrong answers or a failure, 2 wrong usage."
    })
final class LoadCommand extends EngineRounds {
  private static final int MOST_THREADS = 1_024;

  @Option(
      names = "--threads",
      description =
          "threads in all: one writes, one is the engine's, the others query. The engine pipeline"
              + " has one more, which publishes; naive has none.")
  private int threads = 8;

  @Option(names = "--engine", description = "${COMPLETION-CANDIDATES}; off-heap if it is not given")
  private CandleContender engine;

  @Option(names = "--compare", description = "runs off-heap and naive, and shows them side by side")
  private boolean compare;

  LoadCommand() {
    rounds = 1;
  }

  @Override
  public Integer call() throws Exception {
    if (compare && engine != null) {
      throw wrongUsage("--compare runs both engines, off-heap and naive: --engine=" + engine);
    }
    check("threads", threads, LoadSettings.OTHER_THREADS + 1, MOST_THREADS);
    CandleContender chosen = engine == null ? CandleContender.OFF_HEAP : engine;
    List<CandleContender> engines = compare ? CandleContender.COMPARED : List.of(chosen);
    return run(engines.stream().map(one -> paced(one, threads)).toList());
  }

  @Override
  protected String folder() {
    return "candles-load";
  }
}
