package dev.millrace.ohlcv.programs;

import dev.millrace.cache.CacheOptions;
import dev.millrace.cache.Codec;
import dev.millrace.cache.OffHeapCache;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Hourly candles, each made when a thread first asks for it and then kept off the heap. */
public final class CacheProgram {
  private static final int HOURS = 9;
  private static final int THREADS = 4;
  private static final int REQUESTS = 10_000; // of each thread

  record Candle(double open, double high, double low, double close, int trades) {}

  /** Prints the candles, and how often one was made. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    List<String[]> rows = readRows();
    CacheOptions options = CacheOptions.ofBytes(1 << 20);
    try (var candles = OffHeapCache.of(Codec.ints(), Codec.records(Candle.class), options)) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        Random random = new Random(i);
        threads.add(Thread.ofPlatform().start(() -> ask(candles, rows, random)));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      for (int hour = 0; hour < HOURS; hour++) {
        System.out.println(hour + ":00 " + candles.get(hour));
      }
      long loads = candles.metrics().get("loads");
      System.out.println(THREADS * REQUESTS + " requests, " + loads + " loads");
    }
  }

  private static void ask(
      OffHeapCache<Integer, Candle> candles, List<String[]> rows, Random random) {
    try {
      for (int i = 0; i < REQUESTS; i++) {
        Candle _ = candles.get(random.nextInt(HOURS), hour -> load(rows, hour));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stands for a slow query: reads all rows for those of one hour. */
  private static Candle load(List<String[]> rows, int hour) {
    double[] prices =
        rows.stream()
            .filter(row -> Long.parseLong(row[0]) / 3_600 % 24 == hour)
            .mapToDouble(row -> Double.parseDouble(row[1]))
            .toArray();
    double high = Arrays.stream(prices).max().orElseThrow();
    double low = Arrays.stream(prices).min().orElseThrow();
    return new Candle(prices[0], high, low, prices[prices.length - 1], prices.length);
  }

  private static List<String[]> readRows() throws IOException {
    try (InputStream csv = CacheProgram.class.getResourceAsStream("trades.csv")) {
      String text = new String(csv.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().skip(2).map(row -> row.split(",", -1)).toList();
    }
  }
}
