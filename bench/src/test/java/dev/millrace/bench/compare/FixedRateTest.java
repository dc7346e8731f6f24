package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.bench.compare.Work.Shape;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Pace;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** The schedule is kept, and what waited counts from when it was due. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // a spinning one heeds no interrupt
class FixedRateTest {
  private static final long MILLI = 1_000_000;
  private static final int CAPACITY = 16;
  private static final long STALL_MILLIS = 100;

  private final Work work =
      Work.way("test", "test", 1, 1).withShape(Shape.FIXED_RATE).withRate(10_000);

  /** A queue whose consumer stops for a while with its first record in hand. */
  private static final class Stalling extends ObjectQueue {
    private long received;

    Stalling() {
      super(CAPACITY);
    }

    @Override
    long receive() {
      long got = super.receive();
      if (got != Ends.NONE && received++ == 0) { // not in the warm-up, which has no records
        LockSupport.parkNanos(STALL_MILLIS * MILLI);
      }
      return got;
    }
  }

  /**
   * Of 4,000 records 1,000 are due during the stall, but only 16 find room. Counted from when they
   * were sent, no more than these would be late; counted from when they were due, all that waited
   * outside are: the first by the whole stall, the last hardly, half of them by more than half.
   */
  @Test
  void run_whenTheConsumerStalls_countsFromWhenRecordsWereDue() throws Exception {
    FixedRate run = new FixedRate(work, new Stalling(), 1);
    Measured seen = run.run(0, 400 * MILLI);
    assertThat(timesOf(seen).getTotalCount()).isEqualTo(4_000);
    long late = timesOf(seen).getCountBetweenValues(STALL_MILLIS / 2 * MILLI, Long.MAX_VALUE);
    assertThat(late).isGreaterThan(300);
  }

  @Test
  void run_whenTheRateIsBeyondReach_tellsTheRateReached() throws Exception {
    Contender slow =
        new ObjectQueue(CAPACITY) {
          @Override
          long receive() {
            LockSupport.parkNanos(MILLI);
            return super.receive();
          }
        };
    Measured seen = new FixedRate(work, slow, 1).run(0, 20 * MILLI);
    assertThat(timesOf(seen).getTotalCount()).isEqualTo(200);
    assertThat(seen.perSecond()).isLessThan(2_000);
  }

  @Test
  void run_whenTheRateIsKept_tellsIt() throws Exception {
    Contender queue = Contenders.ARRAY_BLOCKING_QUEUE.make(work);
    Measured seen = new FixedRate(work, queue, 1).run(20 * MILLI, 100 * MILLI);
    assertThat(timesOf(seen).getTotalCount()).isEqualTo(1_000);
    assertThat(seen.perSecond()).isCloseTo(10_000, within(2_000.0));
  }

  @Test
  void run_whenARecordIsChanged_fails() {
    Contender changing =
        new ObjectQueue(CAPACITY) {
          @Override
          boolean send(long number) {
            return super.send(Math.max(0, number - 1));
          }
        };
    FixedRate run = new FixedRate(work, changing, 1);
    assertThatThrownBy(() -> run.run(0, 10 * MILLI))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("sum of their fields must be");
  }

  @Test
  void pace_ofTwoProducers_isTheirsInTurn() {
    Pace first = Pace.of(1_000_000, 2, 0);
    Pace second = Pace.of(1_000_000, 2, 1);
    assertThat(first.dueNanos(0)).isZero();
    assertThat(second.dueNanos(0)).isEqualTo(1_000);
    assertThat(first.dueNanos(1)).isEqualTo(2_000);
    assertThat(second.dueNanos(1)).isEqualTo(3_000);
    assertThat(first.recordsWithin(MILLI) + second.recordsWithin(MILLI)).isEqualTo(1_000);
  }

  @Test
  void pace_ofARateWithoutWholeNanoseconds_isRefused() {
    for (long rate : new long[] {0, -1, 3, 2_000_000_000}) {
      assertThatThrownBy(() -> Pace.of(rate, 1, 0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("rate must divide 1000000000 a second: rate=" + rate);
    }
  }

  @Test
  void latencies_asText_keepAll() {
    var histogram = Latencies.newHistogram();
    for (long nanos : new long[] {0, 1, 100, 101, 12_345_678, 3_000_000_000_000L}) {
      histogram.recordValue(nanos);
    }
    assertThat(Latencies.decode(Latencies.encode(histogram))).isEqualTo(histogram);
    assertThat(Latencies.encode(histogram).length()).isLessThan(500);
  }

  @Test
  void latencies_ofOtherText_areRefused() {
    assertThatThrownBy(() -> Latencies.decode("AAAA"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("histogram=AAAA");
  }

  private static Histogram timesOf(Measured measured) {
    return Latencies.decode(measured.times());
  }
}
