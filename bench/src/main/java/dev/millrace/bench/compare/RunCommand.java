package dev.millrace.bench.compare;

import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Machine;
import dev.millrace.bench.harness.RoundsCommand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The command that runs a form of the side-by-side, and makes the report. */
final class RunCommand extends RoundsCommand {
  private final Form form;

  @Option(names = "--work", description = "only works whose name begins so")
  private String work = "";

  @Option(names = "--contender", description = "ours, and only peers whose name begins so")
  private String contender = "";

  @Option(names = "--warmup-ms", description = "how long each JVM warms up")
  private long warmupMillis = 1_000;

  @Option(names = "--measure-ms", description = "how long each JVM measures")
  private long millis = 1_000;

  RunCommand(Form form) {
    this.form = form;
    this.rounds = form.rounds();
  }

  @Override
  public Integer call() throws Exception {
    Results results = form.equals(Form.FOOTPRINT) ? footprints() : samples();
    write(file(), results);
    Compare.writeReport(List.of(results), Compare.REPORT);
    return results.samples().stream().anyMatch(sample -> sample.failure() != null) ? 1 : 0;
  }

  private Results footprints() throws Exception {
    List<Footprint> all =
        inRounds(List.of(form.name()), (_, _) -> Footprint.all(), _ -> {}).getFirst();
    return results(Footprint.flags(), List.of(), List.of(), all);
  }

  private Results samples() throws Exception {
    Machine machine = Machine.here();
    List<Fork> trials = trials(machine.processors());
    List<Results.Done> works =
        trials.stream()
            .map(Fork::work)
            .distinct()
            .map(one -> Results.Done.of(Row.of(one.id()), machine.processors()))
            .toList();
    List<Sample> samples =
        inRounds(
            trials,
            Fork::inJvm,
            some -> write(file(), results(Child.FLAGS, works, some, List.of())));
    return results(Child.FLAGS, works, samples, List.of());
  }

  private Results results(
      List<String> flags,
      List<Results.Done> works,
      List<Sample> samples,
      List<Footprint> footprints)
      throws IOException {
    return new Results(
        form.name(),
        repeat(),
        started,
        seed,
        warmupMillis,
        millis,
        Machine.here(),
        flags,
        versions(),
        works,
        samples,
        footprints);
  }

  @Override
  protected String folder() {
    return "results";
  }

  private List<Fork> trials(int processors) throws IOException, InterruptedException {
    List<Row> rows =
        form.rows().stream()
            .filter(row -> row.work().id().startsWith(work) && row.isFor(processors))
            .toList();
    if (rows.isEmpty()) {
      throw wrongUsage("work must be the beginning of one of this form: work=" + work);
    }
    boolean isNative = rows.stream().anyMatch(row -> contenders(row).contains(Contenders.CPP));
    String ring = isNative ? NativeRing.compile() : "";
    List<Fork> trials = new ArrayList<>();
    for (Row row : rows) {
      for (int idle : form.idles(row)) {
        for (Contenders one : contenders(row)) {
          if (one != Contenders.CPP || !ring.isEmpty()) {
            trials.add(new Fork(row.work(), one, 0, idle, warmupMillis, millis, ring));
          }
        }
      }
    }
    return trials;
  }

  private List<Contenders> contenders(Row row) {
    List<Contenders> all = new ArrayList<>(List.of(row.ours()));
    form.peers(row).stream().filter(peer -> peer.id().startsWith(contender)).forEach(all::add);
    return all;
  }
}
