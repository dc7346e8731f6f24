package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.bench.compare.Sample.Slice;
import dev.millrace.bench.harness.Latencies;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/**
 * Finds a sample that counts as one of near or far cores although its threads moved, and an average
 * over slices that should be left out.
 */
class SampleTest {
  private static final double NEAR = 100;
  private static final double FAR = 300;
  private static final Work WORK = Row.of("spsc-single").work();

  @Test
  void of_whenCoresMovedOften_isNeitherNearNorFar() {
    Sample sample =
        of(
            new Slice(FAR, FAR, speed(10)),
            new Slice(FAR, NEAR, speed(90)),
            new Slice(NEAR, NEAR, speed(80)),
            new Slice(FAR, FAR, speed(20)));
    assertThat(sample.placement()).isEqualTo(Placement.MOVED);
  }

  @Test
  void of_whenCoresMovedOnce_leavesOutThatSlice() {
    Sample sample =
        of(
            new Slice(FAR, FAR, speed(10)),
            new Slice(FAR, NEAR, speed(90)),
            new Slice(FAR, 2 * FAR, speed(30)),
            new Slice(FAR, FAR, speed(20)));
    assertThat(sample.placement()).isEqualTo(Placement.FAR);
    assertThat(sample.slices()).isEqualTo(3);
    assertThat(sample.measured().perSecond()).isEqualTo(20);
  }

  @Test
  void of_whenCoresStayed_isOfAllSlices() {
    Slice near = new Slice(NEAR, NEAR, speed(90));
    Sample sample = of(near, near, near, near);
    assertThat(sample.placement()).isEqualTo(Placement.NEAR);
    assertThat(sample.slices()).isEqualTo(Sample.SLICES);
  }

  @Test
  void of_whenSlicesDiffer_countsPerRecordOfAll() {
    Slice slow = new Slice(FAR, FAR, Measured.ofTraffic(10, 2, 1, 8, 0, 0));
    Slice fast = new Slice(FAR, FAR, Measured.ofTraffic(30, 0, 5, 0, 0, 0));
    Measured measured = of(slow, fast, slow, fast).measured();
    assertThat(measured.perSecond()).isEqualTo(20);
    assertThat(measured.failedSends()).isEqualTo(0.5);
    assertThat(measured.failedReceives()).isEqualTo(4);
    assertThat(measured.bytesPerRecord()).isEqualTo(2);
  }

  @Test
  void of_whenNothingCameThrough_isNothing() {
    Slice slice = new Slice(FAR, FAR, speed(0));
    Sample sample = of(slice, slice, slice, slice);
    assertThat(sample.measured()).isEqualTo(Measured.NOTHING);
    assertThat(sample.judged().failure()).startsWith("nothing came through");
  }

  @Test
  void of_whenTimesWereTaken_poolsThem() {
    Slice usual = new Slice(FAR, FAR, speed(0).with(times(33, 100), 1));
    Slice last = new Slice(FAR, FAR, speed(0).with(times(1, 10_000), 2));
    Measured measured = of(usual, usual, usual, last).measured();
    assertThat(measured.collections()).isEqualTo(5);
    assertThat(measured.p50()).isEqualTo(100);
    assertThat(measured.p99()).isEqualTo(100);
    assertThat(measured.p999()).isCloseTo(10_000, within(10.0));
    assertThat(Latencies.decode(measured.times()).getTotalCount()).isEqualTo(100);
  }

  private static Sample of(Slice... slices) {
    return Sample.of(WORK, Contenders.MILLRACE, 1, 1, List.of(slices), null);
  }

  private static Measured speed(double perSecond) {
    return Measured.ofTraffic(perSecond, 0, 0, 0, 0, 0);
  }

  private static Histogram times(int count, long nanos) {
    Histogram times = Latencies.newHistogram();
    times.recordValueWithCount(nanos, count);
    return times;
  }
}
