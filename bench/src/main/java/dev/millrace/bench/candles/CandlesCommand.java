package dev.millrace.bench.candles;

import dev.millrace.bench.harness.GroupCommand;
import picocli.CommandLine.Command;

/** The command that runs the example's engines and the article's naive one. */
@Command(
    name = "candles",
    description =
        "The engines of ohlcv-example and the article's naive one: under load, and the article's"
            + " tables. Runs both by their defaults, or the one that is named.",
    subcommands = {LoadCommand.class, TablesCommand.class},
    footer = "Exit codes: 0 done, 1 wrong answers or a failure, 2 wrong usage.")
public final class CandlesCommand extends GroupCommand {}
