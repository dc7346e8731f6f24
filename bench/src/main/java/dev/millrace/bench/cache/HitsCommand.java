package dev.millrace.bench.cache;

import dev.millrace.bench.harness.RoundsCommand;
import dev.millrace.bench.harness.Samples;
import dev.millrace.bench.harness.Table;
import dev.millrace.cache.CacheOptions;
import dev.millrace.cache.Codec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that counts how often caches of some policies hold what is requested. */
@Command(
    name = "hits",
    description =
        "Hit ratios on traces and generated keys: OffHeapCache with one shard and with as many as"
            + " usual, Caffeine, and S3-FIFO and LRU written for reference. Keys and values are"
            + " numbers; a key that is not there is put. All run in this JVM, without a clock.",
    footer = "Exit codes: 0 done, 2 wrong usage.")
final class HitsCommand extends RoundsCommand {
  private static final double[] SHARES = {0.01, 0.1};
  private static final int LEAST_ENTRIES = 20;
  private static final long AMPLE_BYTES = 1 << 26;
  private static final int MOST_ROUNDS = 1_000;
  private static final int MOST_REQUESTS = 100_000_000;

  @Option(
      names = "--data",
      defaultValue = "${sys:millrace.data}",
      description =
          "folder with a folder traces: text files with a number a line, *.trace or *.dense, or"
              + " cache2k's with numbers of 32 bits; as they are or compressed as .gz or .xz;"
              + " default: the system property millrace.data")
  private Path data;

  @Option(names = "--requests", description = "of the generated keys")
  private int requests = 1_000_000;

  HitsCommand() {
    rounds = 1;
  }

  /** A policy. */
  private enum Policy {
    LRU("LRU"),
    S3_FIFO("S3-FIFO"),
    ONE_SHARD("millrace, one shard"),
    MILLRACE("millrace"),
    CAFFEINE("Caffeine");

    private final String title;

    Policy(String title) {
      this.title = title;
    }

    /** Returns the share of requests that found their key. */
    double hits(long[] keys, int size) throws IOException {
      return switch (this) {
        case LRU -> count(keys, lru(size));
        case S3_FIFO -> count(keys, new S3Fifo(size));
        case ONE_SHARD ->
            count(keys, Peers.millrace(Codec.longs(), ample(size).withShards(1), false));
        case MILLRACE -> count(keys, Peers.millrace(Codec.longs(), ample(size), false));
        case CAFFEINE -> count(keys, Peers.<Long>caffeine(size, Runnable::run));
      };
    }

    private static CacheOptions ample(int size) {
      return CacheOptions.ofBytes(AMPLE_BYTES)
          .withTypicalEntryBytes(2 * Long.BYTES)
          .withMaxEntries(size);
    }

    private static double count(long[] keys, Cached<Long> cache) throws IOException {
      try (cache) {
        return count(
            keys,
            key -> {
              boolean isHit = cache.get().apply(key) != null;
              if (!isHit) {
                cache.put().accept(key, key);
              }
              return isHit;
            });
      }
    }

    private static double count(long[] keys, LongPredicate isHit) {
      long hits = 0;
      for (long key : keys) {
        hits += isHit.test(key) ? 1 : 0;
      }
      return (double) hits / keys.length;
    }

    private static LongPredicate lru(int size) {
      Map<Long, Long> map =
          new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
              return size() > size;
            }
          };
      return key -> map.put(key, key) != null;
    }
  }

  private record Trial(Trace trace, int size, Policy policy) {
    /** The first column. */
    String row() {
      return "%s, %,d".formatted(trace.name(), size);
    }

    @Override
    public String toString() {
      return row() + ", " + policy.title;
    }
  }

  private record Sample(String row, String policy, int round, double hitPercent) {}

  @Override
  public Integer call() throws Exception {
    check("rounds", rounds, 1, MOST_ROUNDS);
    check("requests", requests, 1, MOST_REQUESTS);
    List<Trial> trials = trials();
    List<Sample> samples =
        inRounds(
            trials,
            (trial, round) -> {
              double hits = trial.policy().hits(trial.trace().keys(), trial.size());
              return new Sample(trial.row(), trial.policy().title, round, 100 * hits);
            },
            some -> keep(List.of(), some));
    print(table(trials, samples).markdown());
    return 0;
  }

  private List<Trial> trials() throws IOException {
    List<Trace> traces = new ArrayList<>();
    if (data == null) {
      print("no traces: neither --data nor the property millrace.data is there\n");
    } else if (Files.isDirectory(data.resolve("traces"))) {
      traces.addAll(Trace.readAll(data.resolve("traces")));
    } else {
      throw wrongUsage("not a directory: " + data.resolve("traces"));
    }
    traces.add(Trace.zipf(requests, seed));
    traces.add(Trace.zipfWithScans(requests, seed));
    List<Trial> trials = new ArrayList<>();
    for (Trace trace : traces) {
      int objects = trace.objects();
      for (double share : SHARES) {
        int size = Math.max(LEAST_ENTRIES, (int) Math.round(objects * share));
        for (Policy policy : Policy.values()) {
          trials.add(new Trial(trace, size, policy));
        }
      }
    }
    return trials;
  }

  private static Table table(List<Trial> trials, List<Sample> samples) {
    Map<String, Map<String, String>> rows = new LinkedHashMap<>();
    for (Trial trial : trials) {
      double[] percents =
          samples.stream()
              .filter(one -> one.row().equals(trial.row()))
              .filter(one -> one.policy().equals(trial.policy().title))
              .mapToDouble(Sample::hitPercent)
              .toArray();
      rows.computeIfAbsent(trial.row(), _ -> new LinkedHashMap<>())
          .put(trial.policy().title, Table.format("%.2f", Samples.median(percents)));
    }
    return Table.ofCells("hits in %, by trace and entries", rows);
  }

  @Override
  protected String folder() {
    return "cache-hits";
  }
}
