package dev.millrace.bench.cache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command that runs the cache and its peers. */
@Command(
    name = "cache",
    description =
        "OffHeapCache and other caches: the experiment of the article about caches off the heap,"
            + " the speed of hits, and hit ratios. Runs all three by their defaults, or the one"
            + " that is named.",
    mixinStandardHelpOptions = true,
    subcommands = {OfferCommand.class, SpeedCommand.class, HitsCommand.class},
    footer = "Exit codes: 0 done, 1 a contender failed, 2 wrong usage.")
public final class CacheCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** Runs all parts, each as if it were called by name, and returns the worst of their codes. */
  @Override
  public Integer call() {
    List<String> names = new ArrayList<>(Arrays.asList(spec.qualifiedName(" ").split(" ")));
    names.removeFirst(); // the root's
    int worst = 0;
    for (String part : spec.subcommands().keySet()) {
      List<String> arguments = new ArrayList<>(names);
      arguments.add(part);
      int code = spec.root().commandLine().execute(arguments.toArray(String[]::new));
      worst = Math.max(worst, code);
    }
    return worst;
  }
}
