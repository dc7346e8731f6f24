package dev.millrace.disruptor.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Finds a duration that is counted in a bucket more than a hundredth off, or in none. */
class HistogramTest {
  private static final double ERROR = 0.01;

  @Test
  void bucketOf_anyDuration_isAtMostAHundredthWide() {
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      long nanos = random.nextLong() >>> 1 >>> random.nextInt(63);
      long longest = Histogram.longestIn(Histogram.bucketOf(nanos));
      assertThat(longest).isGreaterThanOrEqualTo(nanos);
      assertThat(longest - nanos).isLessThanOrEqualTo((long) (nanos * ERROR));
    }
  }

  @Test
  void bucketOf_durationsInOrder_risesByOne() {
    int bucket = 0;
    assertThat(Histogram.bucketOf(0)).isZero();
    while (bucket < Histogram.BUCKETS - 1) {
      long longest = Histogram.longestIn(bucket);
      assertThat(Histogram.bucketOf(longest)).isEqualTo(bucket);
      bucket++;
      assertThat(Histogram.bucketOf(longest + 1)).isEqualTo(bucket);
    }
    assertThat(Histogram.longestIn(bucket)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void record_countsEachInItsBucket_andLessThanNothingAsNothing() {
    try (Histogram histogram = new Histogram(Histogram.BUCKETS)) {
      long[] durations = {-5, 0, 255, 256, 1_000, 1_000, 123_456_789, Long.MAX_VALUE};
      long[] expected = new long[Histogram.BUCKETS];
      for (long nanos : durations) {
        histogram.record(nanos);
        expected[Histogram.bucketOf(Math.max(0, nanos))]++;
      }
      long[] counts = new long[Histogram.BUCKETS];
      histogram.addTo(counts);
      assertThat(counts).isEqualTo(expected);
      histogram.addTo(counts);
      assertThat(counts[Histogram.bucketOf(1_000)]).isEqualTo(4);
    }
  }

  @Test
  void record_ofFewerBuckets_countsWhatIsLongerInTheLast() {
    try (Histogram histogram = new Histogram(4)) {
      for (long nanos : new long[] {0, 3, 4, 1_000_000}) {
        histogram.record(nanos);
      }
      long[] counts = new long[4];
      histogram.addTo(counts);
      assertThat(counts).containsExactly(1, 0, 0, 3);
    }
  }
}
