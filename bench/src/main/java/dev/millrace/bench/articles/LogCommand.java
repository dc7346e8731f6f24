package dev.millrace.bench.articles;

import dev.millrace.bench.articles.LogFork.Found;
import dev.millrace.bench.harness.Allocations.Allocated;
import dev.millrace.bench.harness.Better;
import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Figures;
import dev.millrace.bench.harness.RoundsCommand;
import dev.millrace.bench.harness.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that runs the article's workload of a log on disk. */
@Command(
    name = "log",
    description =
        "Appends and reads messages of 16 bytes in three logs: MessageLog, Chronicle Queue, the"
            + " article's first version, the same with each of its four steps, its last version,"
            + " plain files, and the bare disk.",
    footer = "Exit codes: 0 done, 1 a contender failed or read something else, 2 wrong usage.")
public final class LogCommand extends RoundsCommand {
  private static final int MOST_MESSAGES = 1_000_000_000;
  private static final int MOST = 1_000_000;
  private static final int MOST_BATCH = 1 << 16;
  private static final int MESSAGES_PER_SECOND = 2_000; // at the very least
  private static final int COMMITS_PER_SECOND = 2;
  private static final int SHOWN_TYPES = 4; // of each contender

  @Option(names = "--samples", description = "messages, each of which is timed")
  private int messages = 1_500_000;

  @Option(names = "--warm-up", description = "messages before them")
  private int warmUp = 300_000;

  @Option(
      names = "--batches",
      split = ",",
      description = "sizes of the batches that are forced as one")
  private List<Integer> batches = List.of(64, 1_000);

  @Option(names = "--commits", description = "batches of each size, for each of the three logs")
  private int commits = 1_000;

  @Option(
      names = "--rest-millis",
      description = "before the commits, in which a log makes what it makes ahead of use")
  private int restMillis = 1_000;

  @Option(
      names = "--segment-bytes",
      description = "of MessageLog's segments, and at most of the article's, which has 1,000,000")
  private long segmentBytes = 1 << 24;

  @Option(
      names = "--contender",
      split = ",",
      description = "all, or some of: ${COMPLETION-CANDIDATES}")
  private List<LogContender> contenders = List.of(LogContender.values());

  @Option(
      names = "--directory",
      description = "where the logs are made and removed again, on the disk that is measured")
  private Path directory = TARGET.resolve("log-data");

  /** Makes the command. */
  public LogCommand() {
    rounds = 3;
  }

  /**
   * What a JVM has found.
   *
   * @param error why it has not; null if it has
   */
  private record Sample(LogContender contender, int round, Found found, String error) {}

  @Override
  public Integer call() throws Exception {
    check("rounds", rounds, 1, MOST);
    check("samples", messages, LogFork.PARTITIONS, MOST_MESSAGES);
    check("warm-up", warmUp, 0, MOST_MESSAGES);
    check("commits", commits, 1, MOST);
    check("rest-millis", restMillis, 0, MOST);
    check("segment-bytes", segmentBytes, 1 << 16, 1 << 30);
    for (int batch : batches) {
      check("batches", batch, 1, MOST_BATCH);
    }
    if (Long.bitCount(segmentBytes) != 1) {
      throw wrongUsage("--segment-bytes must be a power of two: segment-bytes=" + segmentBytes);
    }
    List<Sample> samples = inRounds(contenders, this::measure, this::keepAll);
    List<Sample> failed = samples.stream().filter(one -> one.error() != null).toList();
    failed.forEach(one -> print("FAILED: %s, %s%n%n".formatted(one.contender(), one.error())));
    Figures<LogContender> figures = new Figures<>();
    for (Sample one : samples) {
      if (one.found() != null) {
        figures.add(one.contender(), one.found().figures());
      }
    }
    print(figures.medians(contenders, "%,.1f").markdown() + "\n" + ratios(figures));
    print("\n" + allocated(samples).markdown());
    return failed.isEmpty() ? 0 : 1;
  }

  private void keepAll(List<Sample> samples) throws IOException {
    List<String> flags = new ArrayList<>(Child.FLAGS);
    flags.addAll(LogContender.MILLRACE.flags());
    Child.CHRONICLE_FLAGS.forEach(flag -> flags.add("chronicle: " + flag));
    keep(flags, samples);
  }

  private Sample measure(LogContender contender, int round)
      throws IOException, InterruptedException {
    Path made = Files.createTempDirectory(Files.createDirectories(directory), contender.toString());
    LogFork fork =
        new LogFork(
            contender,
            made.toString(),
            messages,
            warmUp,
            segmentBytes,
            batches,
            commits,
            restMillis);
    long seconds =
        Child.MOST_SECONDS
            + (messages + warmUp) / MESSAGES_PER_SECOND
            + (long) commits * batches.size() * LogFork.PARTITIONS / COMMITS_PER_SECOND
            + TimeUnit.MILLISECONDS.toSeconds((long) restMillis * batches.size());
    try {
      return new Sample(
          contender, round, Child.run(fork, contender.flags(), seconds, Found.class), null);
    } catch (IOException e) {
      return new Sample(contender, round, null, e.getMessage());
    } finally {
      remove(made);
    }
  }

  /** What is allocated most, by class, while each append is timed: of all rounds. */
  private Table allocated(List<Sample> samples) {
    List<List<String>> rows = new ArrayList<>();
    for (LogContender contender : contenders) {
      Map<String, List<Allocated>> types =
          samples.stream()
              .filter(one -> one.contender() == contender && one.found() != null)
              .flatMap(one -> one.found().memory().allocated().stream())
              .collect(Collectors.groupingBy(Allocated::type));
      types.entrySet().stream()
          .map(one -> average(one.getKey(), one.getValue()))
          .sorted(Comparator.comparingDouble(Allocated::bytes).reversed())
          .limit(SHOWN_TYPES)
          .map(
              one ->
                  List.of(
                      contender.toString(),
                      one.type(),
                      Table.format("%,.1f", one.bytes() / 1e6),
                      Table.format("%,.2f", one.objects() / messages)))
          .forEach(rows::add);
    }
    return Table.of("allocated", "allocated by timed appends;class;#MB;#objects an append", rows);
  }

  /** Of the rounds. */
  private Allocated average(String type, List<Allocated> some) {
    return new Allocated(
        type,
        some.stream().mapToDouble(Allocated::bytes).sum() / rounds,
        some.stream().mapToDouble(Allocated::objects).sum() / rounds);
  }

  /** What is asked of ours: ahead of Chronicle Queue without sync, close to the disk with it. */
  private String ratios(Figures<LogContender> figures) {
    List<List<String>> rows = new ArrayList<>();
    for (String what : LogFork.TIMED) {
      for (String rank : List.of("50", "99.99")) {
        add(rows, figures, "%s: p%s, ns".formatted(what, rank), LogContender.CHRONICLE);
      }
    }
    for (int batch : batches) {
      for (LogContender other :
          List.of(LogContender.CHRONICLE, LogContender.DISK, LogContender.DISK_AS_MANY_BYTES)) {
        add(rows, figures, "commit of %d: p50, us".formatted(batch), other);
      }
    }
    return figures.ratios(LogContender.MILLRACE, rows).markdown();
  }

  private static void add(
      List<List<String>> rows, Figures<LogContender> figures, String name, LogContender other) {
    figures.addRatio(rows, name, LogContender.MILLRACE, other, Better.LESS, "%,.1f");
  }
}
