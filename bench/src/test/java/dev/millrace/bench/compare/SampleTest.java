package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.bench.compare.Sample.Placement;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class SampleTest {
  private static final double NEAR = 100;
  private static final double FAR = 300;
  private static final Work WORK = Row.of("spsc-single").work();

  @Test
  void of_whenCoresMove_keepsNearAndFarSlicesApart() {
    List<Sample> samples =
        of(
            slice(NEAR, NEAR, speed(90)),
            slice(NEAR, FAR, speed(50)),
            slice(FAR, FAR, speed(10)),
            slice(FAR, 2 * FAR, speed(20)));
    assertThat(samples)
        .extracting(Sample::placement, Sample::slices, one -> one.measured().perSecond())
        .containsExactly(tuple(Placement.NEAR, 1, 90.0), tuple(Placement.FAR, 2, 15.0));
  }

  @Test
  void of_whenCoresMoveDuringAllSlices_isOneThatDoesNotCount() {
    List<Sample> samples = of(slice(NEAR, FAR, speed(90)), slice(FAR, NEAR, speed(50)));
    assertThat(samples).extracting(Sample::placement).containsExactly(Placement.MOVED);
  }

  @Test
  void of_whenSlicesDiffer_countsPerRecordOfAll() {
    List<Sample> samples =
        of(
            slice(FAR, FAR, Measured.ofTraffic(10, 2, 1, 8)),
            slice(FAR, FAR, Measured.ofTraffic(30, 0, 5, 0)));
    Measured measured = samples.getFirst().measured();
    assertThat(measured.perSecond()).isEqualTo(20);
    assertThat(measured.failedSends()).isEqualTo(0.5);
    assertThat(measured.failedReceives()).isEqualTo(4);
    assertThat(measured.bytesPerRecord()).isEqualTo(2);
  }

  @Test
  void of_whenNothingCameThrough_isNothing() {
    List<Sample> samples = of(slice(FAR, FAR, speed(0)), slice(FAR, FAR, speed(0)));
    assertThat(samples).hasSize(1);
    assertThat(samples.getFirst().measured()).isEqualTo(Measured.NOTHING);
    assertThat(samples.getFirst().judged().failure()).startsWith("nothing came through");
  }

  @Test
  void of_whenTimesWereTaken_poolsThem() {
    List<Sample> samples =
        of(
            slice(FAR, FAR, speed(0).with(times(99, 100), 1)),
            slice(FAR, FAR, speed(0).with(times(1, 10_000), 2)));
    Measured measured = samples.getFirst().measured();
    assertThat(measured.collections()).isEqualTo(3);
    assertThat(measured.p50()).isEqualTo(100);
    assertThat(measured.p99()).isEqualTo(100);
    assertThat(measured.p999()).isCloseTo(10_000, within(10.0));
    assertThat(Latencies.decode(measured.times()).getTotalCount()).isEqualTo(100);
  }

  private static List<Sample> of(Slice... slices) {
    return Sample.of(WORK, Contenders.MILLRACE, 1, 1, List.of(slices));
  }

  private static Slice slice(double before, double after, Measured measured) {
    return new Slice(before, after, measured);
  }

  private static Measured speed(double perSecond) {
    return Measured.ofTraffic(perSecond, 0, 0, 0);
  }

  private static Histogram times(int count, long nanos) {
    Histogram times = Latencies.newHistogram();
    times.recordValueWithCount(nanos, count);
    return times;
  }
}
