package dev.millrace.bench.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that makes the report of runs that were made before. */
@Command(
    name = "report",
    description = "Makes the report of one or several runs on the same machine.",
    mixinStandardHelpOptions = true)
final class ReportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--to", description = "the report's directory")
  private Path directory = Compare.REPORT;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "files of results")
  private List<Path> files;

  @Override
  public Integer call() throws IOException {
    List<Results> runs;
    try {
      runs = Pooled.read(files);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), "files must be results of this command: " + e.getMessage(), e);
    }
    Compare.writeReport(runs, directory);
    return 0;
  }
}
