package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every contender does every work of its rows, and all records come out. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // a spinning one heeds no interrupt
class TrafficTest {
  private static final long MILLI = 1_000_000;

  static List<Trials.Trial> trials() {
    return Trials.all();
  }

  @ParameterizedTest
  @MethodSource("trials")
  void run_losesNothing(Trials.Trial trial) throws Exception {
    trial.run();
  }

  @Test
  void run_whenARecordIsLost_fails() throws Exception {
    Work work = Row.of("spsc-single").work();
    Contender losing =
        new ObjectQueue(16) {
          @Override
          boolean send(long number) {
            return number == 0 || super.send(number);
          }
        };
    Traffic traffic = new Traffic(work, losing, 1, 100 * MILLI);
    assertThatThrownBy(() -> traffic.run(MILLI, 100 * MILLI))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("records received must be");
  }
}
