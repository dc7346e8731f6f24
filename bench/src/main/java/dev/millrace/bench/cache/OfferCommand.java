package dev.millrace.bench.cache;

import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Jvm;
import dev.millrace.bench.harness.RoundsCommand;
import dev.millrace.bench.harness.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that runs the article's experiment. */
@Command(
    name = "article",
    description =
        "The article's experiment: a service that loads an offer's description by its number, and"
            + " threads that ask for random offers. Each contender has a JVM of its own for each"
            + " case and collector. On a miss the description is made and put into the cache; what"
            + " comes back is checked. Threads call the cache, or with --http a service over it.",
    footer = {
      "",
      "collections, their time: as the JVM's beans count them, which jConsole shows. paused,"
          + " longest: by JFR (jdk.GCPhasePause). median, p99: of a request, with what its thread"
          + " waits for a processor. heap: what is alive after a full collection, less what was"
          + " alive before the cache was made. off heap: millrace all that it has allocated, OHC"
          + " what its entries take (memUsed), Ehcache and MapDB the JVM's direct buffers,"
          + " Infinispan what its allocator has handed out. resident: by how much the process has"
          + " grown, compiled code included.",
      "With --http the threads are in a JVM of their own, and that of the service has as many that"
          + " answer. Nobody has asked over HTTP before, so the first requests count too.",
      "",
      "Exit codes: 0 done, 1 a contender failed or returned something else, 2 wrong usage."
    })
final class OfferCommand extends RoundsCommand {
  private static final int MOST = 1_000;
  private static final double MOST_SPREAD = 20;
  private static final int MOST_HEAP = 1 << 20;
  private static final String CASE = "[1-9]\\d{0,7}x([2-9]\\d|[1-9]\\d{2,7})x[1-9]\\d{0,7}";
  private static final long REQUESTS_PER_SECOND = 1_000; // at the very least

  @Option(
      names = "--case",
      split = ",",
      description = "entries, bytes of each, and requests a thread, with an x between them")
  private List<String> cases =
      List.of(
          "10000x5000x100000",
          "5000x100000x1000",
          "5000x200000x1000",
          "5000x300000x1000",
          "10000x200000x1000",
          "15000x200000x1000");

  @Option(names = "--threads", description = "that ask for offers")
  private int threads = 10;

  @Option(names = "--spread", description = "how many offers there are for each cached one")
  private double spread = 1.5;

  @Option(
      names = "--prefill",
      description =
          "how often each offer is requested first, in random order; 0 begins with an empty cache")
  private int prefill = 1;

  @Option(
      names = "--collector",
      split = ",",
      description = "some of: ${COMPLETION-CANDIDATES}; DEFAULT is G1")
  private List<Jvm> collectors = List.of(Jvm.values());

  @Option(names = "--contender", split = ",", description = "all, or some of the default's")
  private List<CacheContender> contenders = CacheContender.OF_OFFERS;

  @Option(
      names = "--heap",
      description = "megabytes of each JVM; 0: by the case, enough for Caffeine's descriptions")
  private int heap;

  @Option(names = "--http", description = "requests go over HTTP, as in the article")
  private boolean http;

  OfferCommand() {
    rounds = 3;
  }

  private record Trial(Jvm jvm, int heapMegabytes, OfferFork fork) {
    List<String> flags() {
      List<String> flags = new ArrayList<>(jvm.flags());
      flags.add("-Xms%dm".formatted(heapMegabytes));
      flags.add("-Xmx%dm".formatted(heapMegabytes));
      flags.add(OfferService.NO_DELAY);
      return flags;
    }

    @Override
    public String toString() {
      return "%s, %s".formatted(fork, jvm);
    }
  }

  @Override
  public Integer call() throws Exception {
    check("rounds", rounds, 1, MOST);
    check("threads", threads, 1, MOST);
    check("prefill", prefill, 0, MOST);
    check("heap", heap, 0, MOST_HEAP);
    if (!(spread >= 1 && spread <= MOST_SPREAD)) {
      throw wrongUsage("--spread must be in 1..%.0f: spread=%s".formatted(MOST_SPREAD, spread));
    }
    checkSome("contender", contenders, CacheContender.OF_OFFERS);
    List<Trial> trials = trials();
    List<Sample<Trial>> samples = inRounds(trials, this::measure, some -> keep(Child.FLAGS, some));
    print(
        "%d threads on %d processors%s; before they begin, each offer is requested %d times%n%n"
            .formatted(
                threads,
                Runtime.getRuntime().availableProcessors(),
                http ? ", over HTTP" : "",
                prefill));
    print(table(trials, samples).markdown());
    return Sample.error(samples).isPresent() ? 1 : 0;
  }

  private List<Trial> trials() {
    List<Trial> trials = new ArrayList<>();
    for (Jvm jvm : collectors) {
      for (String one : cases) {
        Offers offers = offers(one);
        int megabytes = heap == 0 ? offers.heapMegabytes() : heap;
        for (CacheContender contender : contenders) {
          OfferFork fork = new OfferFork(contender, offers, threads, prefill, http, seed);
          trials.add(new Trial(jvm, megabytes, fork));
        }
      }
    }
    return trials;
  }

  private Offers offers(String text) {
    if (!text.matches(CASE)) {
      throw wrongUsage("--case must be like 10000x5000x100000, of 20 bytes or more: case=" + text);
    }
    int[] numbers = Arrays.stream(text.split("x", -1)).mapToInt(Integer::parseInt).toArray();
    return new Offers(numbers[0], numbers[1], numbers[2], spread);
  }

  private Sample<Trial> measure(Trial trial, int round) throws InterruptedException {
    Offers offers = trial.fork().offers();
    long requests = (long) threads * offers.requests();
    long prefills = (long) prefill * offers.count();
    long seconds =
        Child.MOST_SECONDS
            + (requests + prefills) / REQUESTS_PER_SECOND
            + (http ? Child.MOST_SECONDS + requests / OfferFork.REQUESTS_PER_SECOND : 0);
    return Sample.of(trial, round, trial.fork(), trial.flags(), seconds);
  }

  /** Medians of the rounds. */
  private static Table table(List<Trial> trials, List<Sample<Trial>> samples) {
    List<String> names =
        samples.stream()
            .filter(one -> one.error() == null)
            .flatMap(one -> one.found().figures().keySet().stream())
            .distinct()
            .toList();
    List<List<String>> rows = new ArrayList<>();
    for (Trial trial : trials) {
      List<Sample<Trial>> some = samples.stream().filter(one -> one.job().equals(trial)).toList();
      Offers offers = trial.fork().offers();
      List<String> row = new ArrayList<>();
      row.add(offers.toString());
      row.add(Table.format("%,d", offers.count()));
      row.add("%s, %,d MB".formatted(trial.jvm().flags().getFirst(), trial.heapMegabytes()));
      row.add(trial.fork().contender().toString());
      row.addAll(Sample.cells(some, names));
      rows.add(row);
    }
    String heads = "entries;#offers;JVM;contender;#" + String.join(";#", names);
    return Table.of("article", heads, rows);
  }

  @Override
  protected String folder() {
    return "cache-article";
  }
}
