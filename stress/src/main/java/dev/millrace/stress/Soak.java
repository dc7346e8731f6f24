package dev.millrace.stress;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of the soaks: long runs in which every record is accounted for. */
@Command(
    name = "soak",
    mixinStandardHelpOptions = true,
    description = "Long runs in which every record is checked and accounted for.",
    subcommands = {Soak.Spsc.class, Soak.History.class})
public final class Soak {
  private Soak() {}

  /**
   * Runs a soak; exits with 0 if all is well, 1 if not, 2 on wrong usage.
   *
   * @param args the soak and its options
   */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Soak()).execute(args));
  }

  /** Records through the SPSC queue, at each capacity one at a time and in runs. */
  @Command(
      name = "spsc",
      mixinStandardHelpOptions = true,
      description = "Passes records through an SpscQueue, one at a time and in runs.")
  static final class Spsc implements Callable<Integer> {
    @Option(names = "--records", defaultValue = "1000000000", description = "default: 10^9")
    private long records;

    @Option(names = "--capacities", split = ",", defaultValue = "2,64,65536")
    private List<Integer> capacities;

    @Option(names = "--run", defaultValue = "256", description = "records in a run; default: 256")
    private int run;

    @Override
    public Integer call() throws Exception {
      for (int capacity : capacities) {
        for (int length : List.of(1, run)) {
          SpscSoak.Result result = new SpscSoak(capacity, length, records).call();
          System.out.printf(
              "SpscQueue capacity %,d, runs of %d: %,d records, checksum %016x, %.1f s, %.1f M/s%n",
              capacity,
              Math.min(length, capacity),
              result.records(),
              result.checksum(),
              result.nanos() / 1e9,
              result.records() * 1e3 / result.nanos());
        }
      }
      return 0;
    }
  }

  /** Writers and readers on a history ring. */
  @Command(
      name = "history",
      mixinStandardHelpOptions = true,
      description = "Writers and readers on a HistoryRing.")
  static final class History implements Callable<Integer> {
    @Option(names = "--writers", defaultValue = "4")
    private int writers;

    @Option(names = "--readers", defaultValue = "4")
    private int readers;

    @Option(names = "--seconds", defaultValue = "60")
    private long seconds;

    @Option(names = "--capacity", defaultValue = "1440")
    private int capacity;

    @Override
    public Integer call() throws Exception {
      HistorySoak.Result result =
          new HistorySoak(capacity, writers, readers, seconds * 1_000_000_000).call();
      System.out.printf(
          "HistoryRing capacity %,d, %d writers: %,d written = %,d committed + %,d refused%n",
          capacity, writers, result.written(), result.committed(), result.refused());
      for (HistorySoak.ReaderResult reader : result.perReader()) {
        System.out.printf(
            "  reader: %,d read + %,d lost + %,d refused = %,d; %,d windows, all whole%n",
            reader.read(),
            reader.lost(),
            reader.refused(),
            reader.read() + reader.lost() + reader.refused(),
            reader.windows());
      }
      return 0;
    }
  }
}
