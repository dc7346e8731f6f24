package dev.millrace.bench.cache;

import dev.millrace.bench.harness.GroupCommand;
import picocli.CommandLine.Command;

/** The command that runs the cache and its peers. */
@Command(
    name = "cache",
    description =
        "OffHeapCache and other caches: the experiment of the article about caches off the heap,"
            + " the speed of hits, and hit ratios. Runs all three by their defaults, or the one"
            + " that is named.",
    subcommands = {OfferCommand.class, SpeedCommand.class, HitsCommand.class},
    footer = "Exit codes: 0 done, 1 a contender failed, 2 wrong usage.")
public final class CacheCommand extends GroupCommand {}
