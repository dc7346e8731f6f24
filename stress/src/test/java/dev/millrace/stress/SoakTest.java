package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The soaks in short; the long ones are commands, see {@link Soak}. */
@Timeout(120)
class SoakTest {
  @ParameterizedTest
  @CsvSource({"1440, 4, 4", "3, 4, 2"})
  void history_accountsForAllRecords(int capacity, int writers, int readers) throws Exception {
    HistorySoak.Result result = new HistorySoak(capacity, writers, readers, 500_000_000).call();
    assertThat(result.perReader()).hasSize(readers);
    assertThat(result.committed()).isPositive();
  }

  @Test
  void history_whenRingIsTiny_refusesSomething() throws Exception {
    HistorySoak.Result result = new HistorySoak(1, 4, 1, 300_000_000).call();
    assertThat(result.refused()).as("the refusing path was taken").isPositive();
  }

  @ParameterizedTest
  @CsvSource({"4096, 8", "2, 4"})
  void trace_accountsForAllRecords(int records, int writers, @TempDir Path folder)
      throws Exception {
    List<Duration> pauses = List.of(Duration.ZERO, Duration.ofMillis(1));
    Path file = folder.resolve("soak.telemetry");
    TraceSoak.Result result = new TraceSoak(file, records, writers, pauses, 500_000_000).call();
    assertThat(result.leftOut()).as("left out by a limit").isPositive();
    assertThat(result.readers()).hasSize(2);
    assertThat(result.readers().get(0).read()).isPositive();
    assertThat(result.readers().get(1).lost()).as("lost by the slow one").isPositive();
  }

  @ParameterizedTest
  @CsvSource({
    "SPSC, 1, 1, 2, YIELDING",
    "SPSC, 1, 1, 64, PARKING",
    "SPSC, 1, 1, 65536, YIELDING",
    "MPSC, 2, 1, 2, YIELDING",
    "MPSC, 2, 1, 64, PARKING",
    "MPSC, 8, 1, 4096, YIELDING",
    "MPMC, 2, 2, 2, YIELDING",
    "MPMC, 2, 2, 64, PARKING",
    "MPMC, 8, 8, 4096, YIELDING"
  })
  void queues_accountForAllRecords(
      QueueSoak.Kind kind, int producers, int consumers, int capacity, QueueSoak.Wait wait)
      throws Exception {
    QueueSoak.Result result =
        soak(kind, producers, consumers, capacity, wait, SoakProducer.Fault.NONE).call();
    assertThat(result.totals().committed()).isPositive();
    assertThat(result.totals().aborted()).as("the aborting path was taken").isPositive();
  }

  @ParameterizedTest
  @CsvSource({
    "SPSC, LOSE, records taken must be",
    "SPSC, REPEAT, number must be above",
    "SPSC, TEAR, torn record",
    "SPSC, POISON, slot must hold a record",
    "MPSC, LOSE, records taken must be",
    "MPSC, REPEAT, number must be above",
    "MPSC, TEAR, torn record",
    "MPSC, POISON, slot must hold a record",
    "MPMC, LOSE, records taken must be",
    "MPMC, REPEAT, must be",
    "MPMC, TEAR, torn record",
    "MPMC, POISON, slot must hold a record"
  })
  void queues_whenAProducerDoesWrong_fail(
      QueueSoak.Kind kind, SoakProducer.Fault fault, String message) {
    QueueSoak soak =
        soak(
            kind,
            kind == QueueSoak.Kind.SPSC ? 1 : 2,
            kind == QueueSoak.Kind.MPMC ? 2 : 1,
            64,
            QueueSoak.Wait.YIELDING,
            fault);
    assertThatThrownBy(soak::call).isInstanceOf(AssertionError.class).hasMessageContaining(message);
  }

  private static QueueSoak soak(
      QueueSoak.Kind kind,
      int producers,
      int consumers,
      int capacity,
      QueueSoak.Wait wait,
      SoakProducer.Fault fault) {
    return new QueueSoak(
        kind, producers, consumers, capacity, 16, wait.strategy(), 300_000_000, fault);
  }

  @ParameterizedTest
  @CsvSource({
    "MPSC, 64, 100, 5",
    "MPSC, 1024, 100, 100",
    "MPMC, 64, 100, 5",
    "MPMC, 1024, 100, 100"
  })
  void stalled_accountsForAllRecordsAndSlots(
      QueueSoak.Kind kind, int capacity, int stops, int forGood) throws Exception {
    StalledSoak.Result result =
        new StalledSoak(kind, capacity, stops, forGood, 2_000_000, 300_000_000).call();
    assertThat(result.slotsForGood()).isGreaterThanOrEqualTo(forGood);
    assertThat(result.late() > 0).as("some came back late").isEqualTo(forGood < stops);
    assertThat(result.restHeld()).as("no slot was left at last").isEqualTo(capacity == 64);
  }

  @ParameterizedTest
  @CsvSource({"4, 4, 20000", "1, 4, 20000", "2, 2, 50000"})
  void kFifo_keepsItsWord(int producers, int consumers, long records) throws Exception {
    KFifoLedger.Totals totals =
        new KFifoSoak(producers, consumers, records, 500_000_000, 1).call().all().totals();
    assertThat(totals.records()).isPositive();
    assertThat(totals.aborted()).as("the aborting path was taken").isPositive();
    assertThat(totals.full()).as("the queue was full").isPositive();
    assertThat(totals.empty()).as("the queue was empty").isPositive();
    assertThat(totals.mostOvertakes()).as("records left out of order").isPositive();
  }

  @Test
  void ledger_whenOneRecordReplacesAnother_fails() {
    Ledger.Put put = new Ledger.Put(0, 1);
    put.committed(put.nextNumber(), 1, true);
    put.committed(put.nextNumber(), 1, false);
    Ledger.Taken taken = new Ledger.Taken(1);
    taken.take(1); // the one that was refused
    assertThatThrownBy(() -> Ledger.balance(List.of(put), List.of(taken)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("checksum must be");
  }
}
