package dev.millrace.bench.harness;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms of times in nanoseconds: how they are made, and how they are kept as text. */
public final class Latencies {
  private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final int DIGITS = 3;

  private Latencies() {}

  /** An empty one. Recording up to an hour allocates nothing. */
  public static Histogram newHistogram() {
    return new Histogram(LONGEST_NANOS, DIGITS);
  }

  /** Records how long something took; more than an hour counts as an hour. */
  public static void record(Histogram times, long beginNanos, long endNanos) {
    times.recordValue(Math.clamp(endNanos - beginNanos, 0, LONGEST_NANOS));
  }

  /** What a percentile is called: p50, p99.9. */
  public static String percentile(double rank) {
    return "p" + Double.toString(rank).replace(".0", "");
  }

  /** What is timed, some at a time. */
  @FunctionalInterface
  public interface Timed {
    /** Does some and records their times; returns the number of the next. */
    long some(long first, Histogram times);
  }

  /** Does something for a time, to warm up, then for another, of which it returns the times. */
  public static Histogram during(long warmupNanos, long nanos, Timed timed) {
    long next = 0;
    Histogram times = newHistogram();
    for (long limit : new long[] {warmupNanos, nanos}) {
      times.reset();
      for (long begin = System.nanoTime(); System.nanoTime() - begin < limit; ) {
        next = timed.some(next, times);
      }
    }
    return times;
  }

  /** All that was recorded, in HdrHistogram's compressed form, as Base64. */
  public static String encode(Histogram histogram) {
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(bytes);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
  }

  /**
   * The reverse of {@link #encode}.
   *
   * @throws IllegalArgumentException if it is no such text
   */
  public static Histogram decode(String text) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text));
      return Histogram.decodeFromCompressedByteBuffer(bytes, LONGEST_NANOS);
    } catch (DataFormatException | BufferUnderflowException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "histogram must be HdrHistogram's compressed form in Base64: histogram=" + text, e);
    }
  }
}
