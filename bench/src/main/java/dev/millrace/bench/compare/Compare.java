package dev.millrace.bench.compare;

import dev.millrace.bench.articles.ArticleCommand;
import dev.millrace.bench.articles.CandleCommand;
import dev.millrace.bench.harness.RoundsCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command. */
@Command(
    name = "compare",
    description = "Runs Millrace beside its peers on the same work.",
    mixinStandardHelpOptions = true)
public final class Compare {
  static final Path REPORT = RoundsCommand.TARGET.resolve("report");

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
        .addSubcommand(new CandleCommand())
        .addSubcommand(new FootprintCommand())
        .addSubcommand(new OneThreadCommand())
        .addSubcommand(new ReportCommand())
        .addSubcommand(new TableCommand());
  }

  static void writeReport(List<Results> runs, Path directory) throws IOException {
    Path page = new Report(runs).write(directory);
    System.out.println(Files.readString(directory.resolve("ratios.md")));
    System.out.println("report: " + page.toAbsolutePath());
  }
}
