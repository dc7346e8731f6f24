package dev.millrace.bench.cache;

import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Ratio;
import dev.millrace.bench.harness.RoundsCommand;
import dev.millrace.bench.harness.Samples;
import dev.millrace.bench.harness.Table;
import dev.millrace.cache.CacheOptions;
import dev.millrace.cache.Codec;
import dev.millrace.cache.OffHeapCache;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that measures how fast caches return what they hold. */
@Command(
    name = "speed",
    description =
        "The speed of hits in one thread and in as many as there are processors, and of reads by"
            + " Zipf's law (0.99, 1,000 B) from ten times as many keys as are cached, where a miss"
            + " is put and so is every twentieth key. Keys are drawn beforehand. Of each value the"
            + " first and the last byte are read: where they lie by millrace-read and ohc-direct,"
            + " from the byte[] that the others return. map is a ConcurrentHashMap.",
    footer = "Exit codes: 0 done, 1 a contender failed or returned something else, 2 wrong usage.")
final class SpeedCommand extends RoundsCommand {
  private static final int MOST = 100_000;
  private static final int MOST_ENTRIES = 10_000_000;
  private static final int MOST_VALUE_BYTES = 1 << 17;
  private static final int MOST_BYTES = 1 << 28; // of all values together
  private static final int ZIPF_BYTES = 1_000;
  private static final List<String> FLAGS = List.of("-XX:+UseG1GC", "-Xms3g", "-Xmx3g");
  private static final long FOOTPRINT_BYTES = 1 << 26;
  private static final int INDEX_PER_GHOST = 4; // a slot of 8 bytes has 2 on the heap

  @Option(names = "--value-bytes", split = ",", description = "sizes of the values")
  private List<Integer> valueBytes = List.of(8, 100, 1_000, 10_000);

  @Option(names = "--entries", description = "at most; fewer where values would exceed 256 MiB")
  private int entries = 100_000;

  @Option(names = "--warm-up", description = "seconds of each JVM before it is measured")
  private int warmUp = 3;

  @Option(names = "--seconds", description = "of each JVM")
  private int seconds = 3;

  @Option(names = "--contender", split = ",", description = "all, or some of the default's")
  private List<CacheContender> contenders = CacheContender.OF_SPEED;

  /** What all contenders do, and in how many threads. */
  private record Work(int threads, boolean isZipf, int valueBytes) {
    static Work of(SpeedFork fork) {
      return new Work(fork.threads(), fork.isZipf(), fork.valueBytes());
    }

    @Override
    public String toString() {
      String reads = isZipf ? "Zipf" : Table.format("%,d B", valueBytes);
      return threads == 1 ? reads : reads + ", %d threads".formatted(threads);
    }
  }

  @Override
  public Integer call() throws Exception {
    check("rounds", rounds, 1, MOST);
    check("entries", entries, 1, MOST_ENTRIES);
    check("warm-up", warmUp, 0, MOST);
    check("seconds", seconds, 1, MOST);
    for (int each : valueBytes) {
      check("value-bytes", each, 1, MOST_VALUE_BYTES);
    }
    checkSome("contender", contenders, CacheContender.OF_SPEED);
    List<String> flags = Stream.concat(Child.FLAGS.stream(), FLAGS.stream()).toList();
    long most = Child.MOST_SECONDS + warmUp + seconds;
    List<Sample<SpeedFork>> samples =
        inRounds(
            forks(),
            (fork, round) -> Sample.of(fork, round, fork, FLAGS, most),
            some -> keep(flags, some));
    print(table(samples).markdown());
    for (CacheContender one : contenders) {
      if (one.isOurs()) {
        print("\n" + ratios(one, samples).markdown());
      }
    }
    print("\n" + footprints().markdown());
    return Sample.error(samples).isPresent() ? 1 : 0;
  }

  private List<SpeedFork> forks() {
    List<SpeedFork> forks = new ArrayList<>();
    for (Work work : works()) {
      int most = Math.min(entries, MOST_BYTES / work.valueBytes());
      for (CacheContender contender : contenders) {
        if (!work.isZipf() || contender != CacheContender.MAP) { // which has no bound
          forks.add(
              new SpeedFork(
                  contender,
                  work.isZipf(),
                  work.valueBytes(),
                  most,
                  work.threads(),
                  warmUp * 1_000L,
                  seconds * 1_000L));
        }
      }
    }
    return forks;
  }

  private List<Work> works() {
    List<Work> works = new ArrayList<>();
    Stream.of(1, Runtime.getRuntime().availableProcessors())
        .distinct()
        .forEach(
            threads -> {
              valueBytes.forEach(each -> works.add(new Work(threads, false, each)));
              works.add(new Work(threads, true, ZIPF_BYTES));
            });
    return works;
  }

  private static List<Sample<SpeedFork>> of(
      List<Sample<SpeedFork>> samples, CacheContender contender, Work work) {
    return samples.stream()
        .filter(one -> one.job().contender() == contender && Work.of(one.job()).equals(work))
        .toList();
  }

  /** Medians of the rounds: of one thread the time of an operation, of several their rate. */
  private Table table(List<Sample<SpeedFork>> samples) {
    Map<String, Map<String, String>> rows = new LinkedHashMap<>();
    for (Work work : works()) {
      Map<String, String> row = new LinkedHashMap<>();
      Map<String, String> hits = new LinkedHashMap<>();
      for (CacheContender contender : contenders) {
        List<Sample<SpeedFork>> some = of(samples, contender, work);
        if (Sample.error(some).isPresent()) {
          row.put(contender.toString(), "does not run: " + Sample.error(some).get());
        } else if (!some.isEmpty()) {
          double perSecond = Samples.median(Sample.values(some, SpeedFork.PER_SECOND));
          double shown = work.threads() == 1 ? 1e9 / perSecond : perSecond / 1e6;
          row.put(contender.toString(), Table.format("%,.1f", shown));
          hits.put(contender.toString(), Sample.cells(some, List.of(SpeedFork.HITS)).getFirst());
        }
      }
      rows.put(work + (work.threads() == 1 ? ", ns" : ", M/s"), row);
      if (work.isZipf()) {
        rows.put(work + ", " + SpeedFork.HITS, hits);
      }
    }
    return Table.ofCells("medians", rows);
  }

  private Table ratios(CacheContender ours, List<Sample<SpeedFork>> samples) {
    Map<String, Map<String, String>> rows = new LinkedHashMap<>();
    for (Work work : works()) {
      Map<String, String> row = new LinkedHashMap<>();
      for (CacheContender peer : contenders) {
        List<Sample<SpeedFork>> mine = of(samples, ours, work);
        List<Sample<SpeedFork>> other = of(samples, peer, work);
        if (!peer.isOurs() && isRun(mine) && isRun(other)) {
          Ratio ratio =
              Ratio.ofSpeeds(
                  Sample.values(mine, SpeedFork.PER_SECOND),
                  Sample.values(other, SpeedFork.PER_SECOND));
          row.put(peer.toString(), "%s (%s)".formatted(ratio.text(), ratio.interval()));
        }
      }
      rows.put(work.toString(), row);
    }
    return Table.ofCells("%s, times as fast as (95 %%)".formatted(ours), rows);
  }

  private static boolean isRun(List<Sample<SpeedFork>> samples) {
    return !samples.isEmpty() && Sample.error(samples).isEmpty();
  }

  /** What an entry takes beyond its key and value, by the figures of a cache that has evicted. */
  private Table footprints() {
    Map<String, Map<String, String>> rows = new LinkedHashMap<>();
    for (int bytes : valueBytes) {
      int each = Long.BYTES + bytes;
      CacheOptions options = CacheOptions.ofBytes(FOOTPRINT_BYTES).withTypicalEntryBytes(each);
      try (OffHeapCache<Long, byte[]> cache =
          OffHeapCache.of(Codec.longs(), Codec.bytes(), options)) {
        byte[] value = new byte[bytes];
        for (long key = 0; key < 2 * FOOTPRINT_BYTES / each; key++) {
          cache.put(key, value);
        }
        double entries = cache.size();
        double header = cache.bytes() / entries - each;
        double index = Peers.gauge(cache, "indexBytes") / entries;
        double lost = Peers.gauge(cache, "lostBytes") / entries;
        Map<String, String> row = new LinkedHashMap<>();
        row.put("header and padding", Table.format("%.1f", header));
        row.put("index", Table.format("%.1f", index));
        row.put("on the heap", Table.format("%.1f", index / INDEX_PER_GHOST));
        row.put("all", Table.format("%.1f", header + index + index / INDEX_PER_GHOST));
        row.put("lost", Table.format("%.1f", lost));
        double unused = FOOTPRINT_BYTES / entries - each - header - index - lost;
        row.put("not in use", Table.format("%.1f", unused));
        rows.put(Table.format("%,d B", bytes), row);
      }
    }
    return Table.ofCells("bytes of an entry beyond key and value", rows);
  }

  @Override
  protected String folder() {
    return "cache-speed";
  }
}
