package dev.millrace.bench.compare;

import dev.millrace.bench.harness.RoundsCommand;
import dev.millrace.report.Machine;
import java.util.List;
import picocli.CommandLine.Command;

/** The command that finds out what memory queues take, and makes the report. */
@Command(name = "footprint", description = "What memory queues take, on the heap and off it.")
final class FootprintCommand extends RoundsCommand {
  FootprintCommand() {
    rounds = 1; // all are the same
  }

  @Override
  public Integer call() throws Exception {
    List<Footprint> footprints =
        inRounds(List.of("footprint"), (_, _) -> Footprint.all(), _ -> {}).getFirst();
    Results results =
        new Results(
            "footprint",
            repeat(),
            started,
            0,
            0,
            0,
            Machine.here(),
            Footprint.flags(),
            RunCommand.versions(),
            List.of(),
            List.of(),
            footprints);
    keep(results);
    Compare.writeReport(List.of(results), Compare.REPORT);
    return 0;
  }

  @Override
  protected String folder() {
    return "results";
  }
}
