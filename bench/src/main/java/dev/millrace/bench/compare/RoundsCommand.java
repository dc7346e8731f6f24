package dev.millrace.bench.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command that measures in JVMs of their own, in rounds, and keeps what they found in a file. */
@Command(mixinStandardHelpOptions = true)
abstract class RoundsCommand implements Callable<Integer> {
  final String started = now();

  @Spec CommandSpec spec;

  @Option(names = "--rounds", description = "how many JVMs each measurement gets")
  int rounds = 5;

  @Option(names = "--seed", description = "of the order within rounds")
  long seed = 1;

  @Option(names = "--out", description = "the results' file, by default named by the time")
  Path out;

  static String now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** Writes the results, and says where. */
  final void keep(Object results) throws IOException {
    Results.keep(out == null ? usualFile() : out, results);
  }

  /** Where results go unless told otherwise. */
  Path usualFile() {
    return Compare.resultsFile(started);
  }

  /** What repeats the run, anywhere: all options but where the results go. */
  final String repeat() {
    return spec.options().stream()
        .filter(option -> !option.usageHelp() && !option.versionHelp())
        .filter(option -> !option.longestName().equals("--out"))
        .map(option -> " " + option.longestName() + " " + text(option))
        .filter(option -> !option.endsWith(" "))
        .collect(Collectors.joining("", "bench/compare " + spec.name(), ""));
  }

  private static String text(OptionSpec option) {
    Object value = option.getValue();
    return value instanceof Collection<?> several
        ? several.stream().map(Object::toString).collect(Collectors.joining(","))
        : value.toString();
  }
}
