package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.stress.Overtakes.Span;
import dev.millrace.stress.Overtakes.Trip;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Whether the soak of the K-FIFO queue notices what is wrong. */
class KFifoLedgerTest {
  private static final int CAPACITY = 8;

  private final KFifoLedger ledger = new KFifoLedger(4, CAPACITY);
  private final KFifoLedger.Log log = ledger.newLog();
  private final KFifoLedger.Log other = ledger.newLog();

  @Test
  void balance_whenKLessOneOvertake_tellsSo() {
    overtake(3);
    assertThat(ledger.balance().mostOvertakes()).isEqualTo(3);
    assertThat(ledger.balance().records()).isEqualTo(4);
  }

  @Test
  void balance_whenKOvertake_fails() {
    overtake(4);
    assertFails("fewer than k: 4 have overtaken");
  }

  /** Records 1 to count overtake record 0. */
  private void overtake(int count) {
    for (int i = 0; i <= count; i++) {
      put(i);
    }
    for (int i = count; i >= 0; i--) {
      take(i);
    }
  }

  @Test
  void balance_whenCommitsOverlap_claimsNoOrder() {
    long begin = other.now();
    for (int i = 1; i <= 4; i++) {
      put(i);
      take(i);
    }
    other.committed(0, begin, other.since(begin));
    take(0);
    assertThat(ledger.balance().mostOvertakes()).isZero();
  }

  @Test
  void balance_whenPollsOverlap_claimsNoOrder() {
    put(0);
    long begin = other.now();
    for (int i = 1; i <= 4; i++) {
      put(i);
      take(i);
    }
    other.taken(0, other.since(begin), other.since(other.now()));
    assertThat(ledger.balance().mostOvertakes()).isZero();
  }

  @Test
  void balance_whenRecordIsLost_fails() {
    put(0);
    put(1);
    take(0);
    assertFails("record must be taken: Put[number=1");
  }

  @Test
  void balance_whenRecordComesTwice_fails() {
    put(0);
    take(0);
    take(0);
    assertFails("record must be taken only once");
  }

  @Test
  void balance_whenRecordIsMadeUp_fails() {
    take(0);
    assertFails("record must be put before it is taken");
  }

  @Test
  void balance_whenRecordComesBeforeItIsPut_fails() {
    take(0);
    put(0);
    assertFails("record must be put before it is taken");
  }

  @Test
  void balance_whenFullIsTrue_counts() {
    putAll(CAPACITY);
    log.foundFull(log.since(log.now()));
    takeAll(CAPACITY);
    assertThat(ledger.balance().full()).isEqualTo(1);
  }

  @Test
  void balance_whenFullIsTrueForAMoment_counts() {
    putAll(CAPACITY - 1);
    long begin = other.now();
    long claim = log.now();
    log.aborted(claim, log.since(log.now()));
    other.foundFull(other.since(begin));
    takeAll(CAPACITY - 1);
    assertThat(ledger.balance().full()).isEqualTo(1);
  }

  @Test
  void balance_whenFullIsFalse_fails() {
    putAll(CAPACITY - 1);
    log.foundFull(log.since(log.now()));
    takeAll(CAPACITY - 1);
    assertFails("queue must be full for a claim to find it so");
  }

  @Test
  void balance_whenCellsAreBackAndFullIsFalse_fails() {
    putAll(CAPACITY);
    take(0);
    log.foundFull(log.since(log.now()));
    for (int i = 1; i < CAPACITY; i++) {
      take(i);
    }
    assertFails("queue must be full for a claim to find it so");
  }

  @Test
  void balance_whenEmptyIsTrueForAMoment_counts() {
    put(0);
    long begin = other.now();
    take(0);
    put(1);
    other.foundEmpty(other.since(begin));
    take(1);
    assertThat(ledger.balance().empty()).isEqualTo(1);
  }

  @Test
  void balance_whenEmptyIsFalse_fails() {
    put(0);
    log.foundEmpty(log.since(log.now()));
    take(0);
    assertFails("queue must be empty for a poll to find it so");
  }

  @Test
  void balance_whenEndIsToldBehindTheLast_passes() {
    put(0);
    take(0);
    log.toldEnd();
    other.toldEnd();
    assertThat(ledger.balance().records()).isEqualTo(1);
  }

  @Test
  void balance_whenEndIsToldTooEarly_fails() {
    put(0);
    other.toldEnd();
    take(0);
    assertFails("records must be released before the end is told");
  }

  @Test
  void balance_whenEndIsToldBeforeAnAbort_fails() {
    long claim = log.now();
    other.toldEnd();
    log.aborted(claim, log.since(log.now()));
    assertFails("claims must be over before the end is told");
  }

  @Test
  void balance_whenToldSoBeforeCompletion_fails() {
    log.foundCompleted(log.since(log.now()));
    ledger.complete(() -> {});
    assertFails("queue must be completed for a claim to find it so");
  }

  @Test
  void balance_whenClaimSucceedsBehindCompletion_fails() {
    ledger.complete(() -> {});
    put(0);
    take(0);
    assertFails("claims of a completed queue must throw");
  }

  @Test
  void balance_whenClaimMeetsCompletion_mayBothSucceedAndFindItSo() {
    ledger.complete(
        () -> {
          put(0);
          log.foundCompleted(log.since(log.now()));
        });
    take(0);
    assertThat(ledger.balance().records()).isEqualTo(1);
  }

  @Test
  void most_whenTripsAreRandom_agreesWithCountingAll() {
    SplittableRandom random = new SplittableRandom(1);
    for (int round = 0; round < 200; round++) {
      List<Trip> trips = new ArrayList<>();
      int count = random.nextInt(60);
      for (int i = 0; i < count; i++) {
        trips.add(new Trip(i, span(random), span(random)));
      }
      long most =
          trips.stream()
              .mapToLong(trip -> trips.stream().filter(later -> later.overtook(trip)).count())
              .max()
              .orElse(0);
      assertThat(Overtakes.most(trips).count()).isEqualTo((int) most);
    }
  }

  /** With ties, which a clock other than the ledger's might have. */
  private static Span span(SplittableRandom random) {
    long begin = random.nextLong(100);
    return new Span(begin, begin + random.nextLong(20));
  }

  private void put(long number) {
    long claim = log.now();
    log.committed(number, claim, log.since(log.now()));
  }

  private void take(long number) {
    Span poll = log.since(log.now());
    log.taken(number, poll, log.since(log.now()));
  }

  private void putAll(int count) {
    for (int i = 0; i < count; i++) {
      put(i);
    }
  }

  private void takeAll(int count) {
    for (int i = 0; i < count; i++) {
      take(i);
    }
  }

  private void assertFails(String message) {
    assertThatThrownBy(ledger::balance)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(message)
        .hasMessageContaining("k=4, capacity=8");
  }
}
