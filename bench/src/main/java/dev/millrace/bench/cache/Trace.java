package dev.millrace.bench.cache;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * Keys in the order in which they are requested.
 *
 * @param name of the file, or of how they were drawn
 */
@SuppressWarnings("ArrayRecordComponent") // traces are not compared
record Trace(String name, long[] keys) {
  private static final String BINARY = "cache2k";
  private static final int RANKS = 100_000;
  private static final double EXPONENT = 0.9;
  private static final int BETWEEN_SCANS = 20_000;
  private static final int SCANNED = 5_000;

  /** The traces in a folder, in the order of their names. */
  static List<Trace> readAll(Path folder) throws IOException {
    List<Trace> traces = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(Trace::isTrace).sorted().toList()) {
        traces.add(read(file));
      }
    }
    return traces;
  }

  private static boolean isTrace(Path file) {
    return file.getFileName().toString().matches(".*\\.(trace|dense)(\\.gz|\\.xz)?");
  }

  private static Trace read(Path file) throws IOException {
    String name = file.getFileName().toString();
    try (InputStream in = open(file)) {
      long[] keys = name.startsWith(BINARY) ? numbers(in.readAllBytes()) : parse(in);
      return new Trace(name.replaceAll("\\.(trace|dense).*", ""), keys);
    }
  }

  private static InputStream open(Path file) throws IOException {
    InputStream in = new BufferedInputStream(Files.newInputStream(file));
    String name = file.toString();
    return name.endsWith(".gz")
        ? new GZIPInputStream(in)
        : name.endsWith(".xz") ? new XZInputStream(in) : in;
  }

  /** Numbers of 32 bits, the high byte first. */
  static long[] numbers(byte[] bytes) {
    int[] numbers = new int[bytes.length / Integer.BYTES];
    ByteBuffer.wrap(bytes).asIntBuffer().get(numbers);
    return Arrays.stream(numbers).asLongStream().toArray();
  }

  /** A number a line; LIRS marks places by an asterisk. */
  static long[] parse(InputStream in) {
    return new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.equals("*"))
        .mapToLong(Long::parseLong)
        .toArray();
  }

  static Trace zipf(int requests, long seed) {
    Zipf zipf = new Zipf(RANKS, EXPONENT, new SplittableRandom(seed));
    return new Trace(
        "Zipf %s of %,d".formatted(EXPONENT, RANKS),
        LongStream.range(0, requests).map(_ -> zipf.next()).toArray());
  }

  /** The same, with keys in between that are requested once, in runs. */
  static Trace zipfWithScans(int requests, long seed) {
    Zipf zipf = new Zipf(RANKS, EXPONENT, new SplittableRandom(seed));
    long[] keys = new long[requests];
    long scanned = RANKS;
    for (int i = 0; i < requests; i++) {
      boolean isScan = i % (BETWEEN_SCANS + SCANNED) >= BETWEEN_SCANS;
      keys[i] = isScan ? scanned++ : zipf.next();
    }
    return new Trace("the same with scans", keys);
  }

  int objects() {
    return (int) Arrays.stream(keys).distinct().count();
  }
}
