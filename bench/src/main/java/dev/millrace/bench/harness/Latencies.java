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
