package dev.millrace.bench.cache;

import dev.millrace.bench.cache.Sample.Found;
import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Jvm;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Pauses;
import dev.millrace.bench.harness.Pauses.Pause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * What a JVM of its own does for {@link OfferCommand}: threads request random offers, each one
 * after the other, without a break: from the cache, or over HTTP from another JVM.
 *
 * @param prefill how often each offer is requested first, from the cache, in random order
 * @param http whether requests go over HTTP
 */
record OfferFork(
    CacheContender contender, Offers offers, int threads, int prefill, boolean http, long seed)
    implements Child.Job<Found> {
  /** Over HTTP, at the very least. */
  static final long REQUESTS_PER_SECOND = 20;

  private static final List<String> CLIENT_FLAGS = List.of("-Xms512m", "-Xmx512m");
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String RESIDENT = "VmRSS:"; // then kilobytes

  @Override
  public String toString() {
    return "%s, %s".formatted(contender, offers);
  }

  @Override
  public Found run() throws Exception {
    double heap = heapMegabytes();
    double resident = residentMegabytes();
    Map<String, Double> figures = new LinkedHashMap<>();
    LongAdder loads = new LongAdder();
    try (Cached<String> cache = contender.openTexts(offers.room());
        ExecutorService service = Executors.newFixedThreadPool(threads)) {
      for (int pass = 0; pass < prefill; pass++) {
        request(cache, service, loads, shuffled(seed - pass));
      }
      loads.reset();
      System.gc();
      try (Pauses recording = new Pauses()) {
        long collections = Jvm.collections();
        long collecting = Jvm.collectionMillis();
        OfferClients.Found requested =
            http ? requestOverHttp(cache, service, loads) : requestDirectly(cache, service, loads);
        recording.stop();
        Histogram times = Latencies.decode(requested.times());
        figures.put("collections", (double) Jvm.collections() - collections);
        figures.put("their time, ms", (double) Jvm.collectionMillis() - collecting);
        List<Pause> pauses = recording.all();
        figures.put("paused, ms", Pauses.totalMillis(pauses));
        figures.put("longest, ms", Pauses.longestMillis(pauses));
        figures.put("median, us", times.getValueAtPercentile(50) / 1e3);
        figures.put("p99, us", times.getValueAtPercentile(99) / 1e3);
        figures.put("requests/s", times.getTotalCount() / requested.seconds());
        figures.put("hits, %", 100 * (1 - loads.doubleValue() / times.getTotalCount()));
        figures.put("entries", (double) cache.entries().getAsLong());
        figures.put("heap, MB", heapMegabytes() - heap);
        figures.put("off heap, MB", cache.nativeBytes().getAsLong() / 1e6);
        figures.put("resident, MB", residentMegabytes() - resident);
        return new Found(figures, requested.times());
      }
    }
  }

  private OfferClients.Found requestDirectly(
      Cached<String> cache, ExecutorService service, LongAdder loads) throws Exception {
    long begin = System.nanoTime();
    Histogram times = request(cache, service, loads, thread -> offers.random(seed + thread));
    return new OfferClients.Found((System.nanoTime() - begin) / 1e9, Latencies.encode(times));
  }

  private OfferClients.Found requestOverHttp(
      Cached<String> cache, ExecutorService service, LongAdder loads) throws Exception {
    try (OfferService served = new OfferService(number -> load(cache, loads, number), service)) {
      return Child.run(
          new OfferClients(served.address(), offers, threads, seed),
          CLIENT_FLAGS,
          Child.MOST_SECONDS + (long) threads * offers.requests() / REQUESTS_PER_SECOND,
          OfferClients.Found.class);
    }
  }

  /** Each offer once, some by each thread. */
  private IntFunction<IntStream> shuffled(long order) {
    List<Integer> numbers = new ArrayList<>(IntStream.range(0, offers.count()).boxed().toList());
    Collections.shuffle(numbers, new Random(order));
    return thread ->
        IntStream.iterate(thread, i -> i < numbers.size(), i -> i + threads).map(numbers::get);
  }

  /** Requests offers in all threads, and returns how long each request took, in nanoseconds. */
  private Histogram request(
      Cached<String> cache,
      ExecutorService service,
      LongAdder loads,
      IntFunction<IntStream> numbers)
      throws InterruptedException, ExecutionException {
    List<Callable<Histogram>> tasks = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int thread = i;
      tasks.add(
          () -> {
            Histogram times = Latencies.newHistogram();
            numbers.apply(thread).forEach(number -> request(cache, loads, number, times));
            return times;
          });
    }
    Histogram all = Latencies.newHistogram();
    for (Future<Histogram> one : service.invokeAll(tasks)) {
      all.add(one.get());
    }
    return all;
  }

  private void request(Cached<String> cache, LongAdder loads, long number, Histogram times) {
    long begin = System.nanoTime();
    String text = load(cache, loads, number);
    times.recordValue(System.nanoTime() - begin);
    offers.check(number, text);
  }

  private String load(Cached<String> cache, LongAdder loads, long number) {
    return cache
        .load()
        .apply(
            number,
            missing -> {
              loads.increment();
              return offers.load(missing);
            });
  }

  private static double heapMegabytes() {
    return Jvm.heapBytes() / 1e6;
  }

  /** What the process has of the machine's memory, where the system says it. */
  private static double residentMegabytes() throws IOException {
    if (!Files.exists(STATUS)) {
      return 0;
    }
    return Files.readAllLines(STATUS).stream()
        .filter(line -> line.startsWith(RESIDENT))
        .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024 / 1e6)
        .sum();
  }
}
