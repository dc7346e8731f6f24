package dev.millrace.ohlcv;

import dev.millrace.ohlcv.output.OutputTarget;
import dev.millrace.ohlcv.trace.JobView;
import dev.millrace.telemetry.tool.Screen;
import dev.millrace.telemetry.tool.TelemetryTool;
import dev.millrace.telemetry.tool.Terminal;
import dev.millrace.telemetry.tool.TopOptions;
import dev.millrace.telemetry.tool.TopView;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command line of {@code ohlcv top}; what it shows is {@link JobView}'s. */
@Command(
    name = "top",
    description = {
      "Shows the telemetry of ohlcv candles, while it runs and after, until SIGINT: counters with"
          + " their change per second, the last trades rejected and candles closed.",
      "If the file is replaced by that of a new run, it goes on with that."
    },
    footer = {"", "Exit codes: 0 done, 1 the file is refused, 2 wrong usage."},
    mixinStandardHelpOptions = true,
    versionProvider = Ohlcv.Version.class,
    sortOptions = false)
final class TopCommand implements Callable<Integer> {
  private final Environment environment;

  @Parameters(paramLabel = "FILE", description = "What --telemetry was given.")
  private Path file;

  @Mixin private TopOptions options;

  @Option(
      names = "--records",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "How many rejected trades, and how many candles, the last ones. Default:"
              + " ${DEFAULT-VALUE}.")
  private int records;

  TopCommand(Environment environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    TopView.Options shown = options.checked(records);
    Terminal terminal = new Terminal(environment.outRows(), environment.outColumns());
    try (OutputTarget target = environment.out().get()) {
      Screen screen = new Screen(target.writer(), terminal);
      options
          .newTop(file, reader -> new JobView(file, reader, shown), screen)
          .run(TopCommand::sleep);
      return Ohlcv.OK;
    } catch (IOException e) {
      if (TelemetryTool.isClosedPipe(e)) {
        return Ohlcv.OK;
      }
      environment.err().println("ohlcv top: " + e.getMessage());
      environment.err().flush();
      return Ohlcv.BAD_INPUT;
    }
  }

  private static boolean sleep(Duration time) {
    try {
      Thread.sleep(time);
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
