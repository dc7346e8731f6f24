package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The soaks in short; the long ones are commands, see {@link Soak}. */
@Timeout(120)
class SoakTest {
  @ParameterizedTest
  @CsvSource({
    "2, 1, 5000000",
    "2, 2, 5000000",
    "64, 1, 20000000",
    "64, 64, 20000000",
    "65536, 1, 20000000",
    "65536, 256, 20000000"
  })
  void spsc_passesAllRecords(int capacity, int run, long records) throws Exception {
    assertThat(new SpscSoak(capacity, run, records).call().records()).isEqualTo(records);
  }

  @ParameterizedTest
  @CsvSource({"1440, 4, 4", "3, 4, 2"})
  void history_accountsForAllRecords(int capacity, int writers, int readers) throws Exception {
    HistorySoak.Result result = new HistorySoak(capacity, writers, readers, 2_000_000_000).call();
    assertThat(result.perReader()).hasSize(readers);
    assertThat(result.committed()).isPositive();
  }

  @Test
  void history_whenRingIsTiny_refusesSomething() throws Exception {
    HistorySoak.Result result = new HistorySoak(1, 4, 1, 1_000_000_000).call();
    assertThat(result.refused()).as("the refusing path was taken").isPositive();
  }
}
