package dev.millrace.telemetry.tool;

import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** When and how often a command that redraws reads its file, as options that picocli mixes in. */
class Looks {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      defaultValue = "1s",
      converter = DurationConverter.class,
      description = "The time between two looks. Default: ${DEFAULT-VALUE}.")
  private Duration interval;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "0",
      description = "How many looks; 0 for no end. Default: ${DEFAULT-VALUE}.")
  private long count;

  /** Throws {@link ParameterException} if a number is out of its range. */
  final void check() {
    if (count < 0) {
      throw wrongUsage("--count must not be negative: --count=" + count);
    }
  }

  /** Makes a {@link Top} with these options, which has read nothing yet. */
  final Top newTop(Path file, Top.Source source, Screen screen) {
    return new Top(file, interval, count, source, screen);
  }

  final Duration interval() {
    return interval;
  }

  final long count() {
    return count;
  }

  final ParameterException wrongUsage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
