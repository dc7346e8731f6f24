package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.bench.compare.Work.Shape;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** A burst's time lasts until its last record has been received. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // a spinning one heeds no interrupt
class BurstTest {
  private static final long MILLI = 1_000_000;

  private final Work work = Work.way("test", "test", 1, 1).withShape(Shape.BURST).runs(10, 1);

  /** The queue has room for the burst, so only who waits for its receipt can see the delay. */
  @Test
  void run_whenRecordsAreReceivedSlowly_timesTheirReceipt() throws Exception {
    Contender slow =
        new ObjectQueue(64) {
          @Override
          long receive() {
            long got = super.receive();
            if (got != Ends.NONE) {
              LockSupport.parkNanos(MILLI / 10);
            }
            return got;
          }
        };
    Histogram times = new Burst(work, slow, 1).run(MILLI, MILLI);
    assertThat(times.getMinValue()).isGreaterThan(10 * MILLI / 10 * 99 / 100);
  }

  @Test
  void constructor_whenTheBurstDoesNotFit_refusesIt() {
    Contender queue = Contenders.ARRAY_BLOCKING_QUEUE.make(work);
    for (int size : new int[] {0, work.capacity() + 1}) {
      assertThatThrownBy(() -> new Burst(work.runs(size, 1), queue, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("burst must be in 1..%d: burst=%d".formatted(work.capacity(), size));
    }
  }
}
