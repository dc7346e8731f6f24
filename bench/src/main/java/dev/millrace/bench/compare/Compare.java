package dev.millrace.bench.compare;

import dev.millrace.bench.articles.ArticleCommand;
import dev.millrace.bench.articles.LogCommand;
import dev.millrace.bench.cache.CacheCommand;
import dev.millrace.bench.candles.CandlesCommand;
import dev.millrace.bench.candles.ServeCommand;
import dev.millrace.bench.charts.ChartCommand;
import dev.millrace.bench.harness.RoundsCommand;
import dev.millrace.bench.ipc.IpcCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command. */
@Command(
    name = "compare",
    description = "Runs Millrace beside its peers on the same work.",
    mixinStandardHelpOptions = true)
public final class Compare {
  static final Path REPORT = RoundsCommand.TARGET.resolve("report");

  @Spec private CommandSpec spec;

  private Compare() {}

  /**
   * Runs the command.
   *
   * @param args see {@code compare --help}
   */
  public static void main(String[] args) {
    System.exit(command().execute(args));
  }

  static CommandLine command() {
    CommandLine command = new CommandLine(new Compare());
    for (Form form : Form.all()) {
      CommandLine one = new CommandLine(new RunCommand(form));
      one.getCommandSpec().name(form.name()).usageMessage().description(form.help());
      command.addSubcommand(form.name(), one);
    }
    return command
        .addSubcommand(new ArticleCommand())
        .addSubcommand(new CandlesCommand())
        .addSubcommand(new ServeCommand())
        .addSubcommand(new LogCommand())
        .addSubcommand(new IpcCommand())
        .addSubcommand(new CacheCommand())
        .addSubcommand(new OneThreadCommand())
        .addSubcommand(new TableCommand())
        .addSubcommand(new FiguresCommand())
        .addSubcommand(new ChartCommand());
  }

  @Command(
      name = "report",
      description = "Makes the report of one or several runs on the same machine.",
      mixinStandardHelpOptions = true)
  int report(
      @Parameters(arity = "1..*", paramLabel = "FILE", description = "files of results")
          List<Path> files)
      throws IOException {
    List<Results> runs;
    try {
      runs = Results.readAll(files);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), "files must be results of this command: " + e.getMessage(), e);
    }
    writeReport(runs, REPORT);
    return 0;
  }

  static void writeReport(List<Results> runs, Path directory) throws IOException {
    Path page = new Report(runs).write(directory);
    System.out.println(Files.readString(directory.resolve("ratios.md")));
    System.out.println("report: " + page.toAbsolutePath());
  }
}
