package dev.millrace.bench.compare;

import dev.millrace.report.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that finds out what memory queues take, and makes the report. */
@Command(
    name = "footprint",
    description = "What memory queues take, on the heap and off it.",
    mixinStandardHelpOptions = true)
final class FootprintCommand implements Callable<Integer> {
  @Option(names = "--out", description = "the results' file, by default named by the time")
  private Path out;

  @Override
  public Integer call() throws IOException, InterruptedException {
    String started = RoundsCommand.now();
    Results results =
        new Results(
            "footprint",
            "bench/compare footprint",
            started,
            0,
            0,
            0,
            Machine.here(),
            Footprint.flags(),
            RunCommand.versions(),
            List.of(),
            List.of(),
            Footprint.all());
    Results.keep(out == null ? Compare.resultsFile(started) : out, results);
    results.footprints().forEach(FootprintCommand::print);
    Compare.writeReport(List.of(results), Compare.REPORT);
    return 0;
  }

  private static void print(Footprint one) {
    System.out.printf(
        Locale.ROOT,
        "%-26s capacity %,7d  heap %,10d empty %,10d full  off it %,10d%n",
        one.contender(),
        one.capacity(),
        one.emptyBytes(),
        one.fullBytes(),
        one.offHeapBytes());
  }
}
