package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.TelemetryReader;
import java.nio.file.Path;
import java.util.function.Function;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of every command that redraws periodically, which picocli mixes in. */
public final class TopOptions extends Looks {
  private static final int MOST_RECORDS = 1_000;

  @Option(
      names = "--label",
      paramLabel = "PREFIX",
      defaultValue = "",
      description = "Only counters whose labels begin so.")
  private String labelPrefix;

  /** Called by picocli. */
  public TopOptions() {}

  /**
   * Checks the options, including how many records to show, for which each command has its own
   * option.
   *
   * @param records the value of {@code --records}
   * @return the options of the view
   * @throws ParameterException if a number is out of its range
   */
  public TopView.Options checked(int records) {
    check();
    if (records < 0 || records > MOST_RECORDS) {
      throw wrongUsage("--records must be in 0.." + MOST_RECORDS + ": --records=" + records);
    }
    return new TopView.Options(labelPrefix, records);
  }

  /**
   * Makes a {@link Top} with these options.
   *
   * @param file the path of a telemetry file
   * @param views makes a view of a reader, once for each file that appears at the path
   * @param screen shows the lines
   * @return an object that has read nothing yet
   */
  public Top newTop(Path file, Function<TelemetryReader, View> views, Screen screen) {
    return new Top(file, interval(), count(), views, screen);
  }
}
