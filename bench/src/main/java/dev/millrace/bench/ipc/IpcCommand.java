package dev.millrace.bench.ipc;

import dev.millrace.bench.harness.Better;
import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Figures;
import dev.millrace.bench.harness.RoundsCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that measures queues between two processes. */
@Command(
    name = "ipc",
    description =
        "Round trips and throughput between two processes that spin: our queue in a file, Agrona's"
            + " rings over a mapped file, Aeron's IPC with its driver in one of the processes,"
            + " Chronicle Queue, and a Unix domain socket.",
    footer = "Exit codes: 0 done, 1 a contender failed, lost or tore a message, 2 wrong usage.")
public final class IpcCommand extends RoundsCommand {
  private static final int MOST_BYTES = 8_192;
  private static final int MOST_BATCH = 64;
  private static final int MOST_MILLIS = 600_000;
  private static final int MOST_ROUNDS = 1_000;

  @Option(names = "--bytes", split = ",", description = "lengths of messages, in whole words")
  private List<Integer> bytes = List.of(16, 64, 1_024);

  @Option(names = "--batch", description = "how many messages are sent and received at once")
  private int batch = 64;

  @Option(names = "--warm-up-millis", description = "before each measurement")
  private int warmUpMillis = 1_000;

  @Option(names = "--millis", description = "how long is measured, each time")
  private int millis = 1_000;

  @Option(
      names = "--contender",
      split = ",",
      description = "all, or some of: ${COMPLETION-CANDIDATES}")
  private List<IpcContender> contenders = List.of(IpcContender.values());

  @Option(
      names = "--directory",
      description = "where the files are made that both processes map, and removed again")
  private Path directory = TARGET.resolve("ipc-data");

  private record Trial(IpcContender contender, int bytes) {
    @Override
    public String toString() {
      return contender + ", " + bytes + " bytes";
    }
  }

  /**
   * What two processes have found.
   *
   * @param error why they have not; null if they have
   */
  private record Sample(
      IpcContender contender, int bytes, int round, Side.Found found, String error) {}

  @Override
  public Integer call() throws Exception {
    check("rounds", rounds, 1, MOST_ROUNDS);
    check("batch", batch, 1, MOST_BATCH);
    check("warm-up-millis", warmUpMillis, 0, MOST_MILLIS);
    check("millis", millis, 1, MOST_MILLIS);
    for (int one : bytes) {
      check("bytes", one, Long.BYTES, MOST_BYTES);
      if (one % Long.BYTES != 0) {
        throw wrongUsage("--bytes must be a multiple of 8: bytes=" + one);
      }
    }
    List<Trial> trials =
        contenders.stream().flatMap(one -> bytes.stream().map(of -> new Trial(one, of))).toList();
    List<Sample> samples = inRounds(trials, this::measure, all -> keep(Child.FLAGS, all));
    List<Sample> failed = samples.stream().filter(one -> one.error() != null).toList();
    for (Sample one : failed) {
      print("FAILED: %s, %d bytes: %s%n%n".formatted(one.contender(), one.bytes(), one.error()));
    }
    for (int one : bytes) {
      print("%n%,d bytes:%n%n".formatted(one) + tables(samples, one));
    }
    return failed.isEmpty() ? 0 : 1;
  }

  private String tables(List<Sample> samples, int of) {
    Figures<IpcContender> figures = new Figures<>();
    for (Sample one : samples) {
      if (one.bytes() == of && one.found() != null) {
        figures.add(one.contender(), one.found().figures());
      }
    }
    List<List<String>> rows = new ArrayList<>();
    for (IpcContender other : contenders) {
      if (other != IpcContender.MILLRACE) {
        for (String name : Side.TIMES) {
          figures.addRatio(rows, name, IpcContender.MILLRACE, other, Better.LESS, "%,.0f");
        }
        for (String name : Side.RATES) {
          figures.addRatio(rows, name, IpcContender.MILLRACE, other, Better.MORE, "%,.0f");
        }
      }
    }
    return figures.medians(contenders, "%,.0f").markdown()
        + "\n"
        + figures.ratios(IpcContender.MILLRACE, rows).markdown();
  }

  private Sample measure(Trial trial, int round) throws IOException, InterruptedException {
    Path made =
        Files.createTempDirectory(Files.createDirectories(directory), trial.contender().toString());
    Side side =
        new Side(
            trial.contender(),
            made.toAbsolutePath().toString(),
            trial.bytes(),
            batch,
            warmUpMillis,
            millis,
            Side.Does.BOTH);
    try {
      return new Sample(trial.contender(), trial.bytes(), round, run(side), null);
    } catch (ExecutionException | IOException e) {
      Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
      return new Sample(trial.contender(), trial.bytes(), round, null, cause.getMessage());
    } finally {
      remove(made);
    }
  }

  private Side.Found run(Side side) throws IOException, InterruptedException, ExecutionException {
    if (side.contender().isInProcess()) {
      return inJvm(side);
    }
    return Side.ofBoth(
        () -> inJvm(side.with(Side.Does.TAKE)), () -> inJvm(side.with(Side.Does.SEND)));
  }

  private Side.Found inJvm(Side side) throws IOException, InterruptedException {
    long seconds =
        Child.MOST_SECONDS + TimeUnit.MILLISECONDS.toSeconds(10L * (warmUpMillis + millis));
    return Child.run(side, side.contender().flags(), seconds, Side.Found.class);
  }
}
