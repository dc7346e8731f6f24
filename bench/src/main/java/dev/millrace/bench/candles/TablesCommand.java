package dev.millrace.bench.candles;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that makes the tables of the article about candles anew. */
@Command(
    name = "article",
    description =
        "Makes the article's tables of candles: off-heap and naive side by side, as load measures"
            + " them, flat out by threads and at the fixed rate. The tables are beside the results;"
            + " both are written after each round.",
    footer = "Exit codes: 0 done, 1 wrong answers or a failure, 2 wrong usage.")
final class TablesCommand extends EngineRounds {
  private static final int THREADS = 8; // at the fixed rate
  private static final int MOST_CALLERS = 1_023;
  private static final int MOST_FLAT_OUT_SECONDS = 600;

  @Option(names = "--flat-out-seconds", description = "how long a run flat out is measured")
  private int flatOutSeconds = 10;

  @Option(
      names = "--threads",
      split = ",",
      description =
          "threads that use the engine flat out, besides its own: the first writes, the others"
              + " query; a single one does both")
  private List<Integer> threads = List.of(1, 2, 4, 8);

  TablesCommand() {
    rounds = 3;
  }

  @Override
  public Integer call() throws Exception {
    check("flat-out-seconds", flatOutSeconds, 1, MOST_FLAT_OUT_SECONDS);
    threads.forEach(callers -> check("threads", callers, 1, MOST_CALLERS));
    if (threads.stream().distinct().count() < threads.size()) {
      throw wrongUsage("--threads must differ from each other: threads=" + threads);
    }
    List<LoadSettings> trials = new ArrayList<>();
    for (CandleContender engine : CandleContender.COMPARED) {
      LoadSettings paced = paced(engine, THREADS);
      trials.add(paced);
      threads.forEach(callers -> trials.add(paced.flatOut(callers, flatOutSeconds)));
    }
    return run(trials);
  }

  @Override
  protected String folder() {
    return "candles-article";
  }
}
