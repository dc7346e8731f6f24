package dev.millrace.stress.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.stress.spec.FifoSpec.Received;
import dev.millrace.stress.spec.FifoSpec.Sent;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Finds a specification that lets a record get lost: of five claims one was refused, and each of
 * the others must be accounted for.
 */
class HistorySpecTest {
  private final HistorySpec spec = new HistorySpec(5, 1);
  private final Received received = new Received(1, true);

  @BeforeEach
  void receiveTwo() {
    received.take(1);
    received.take(3);
  }

  @Test
  void balance_countsWhatWasCommitted() {
    Sent sent = new Sent(0, 1, false);
    sent.committed(0, 4, true);
    assertThat(spec.balance(List.of(sent)).get("records")).isEqualTo(4);
    sent.committed(4, 1, true);
    assertThatThrownBy(() -> spec.balance(List.of(sent)))
        .isInstanceOf(AssertionError.class)
        .hasMessage("committed + refused must be 5: is 6");
  }

  @Test
  void check_whenAllIsAccountedFor_passes() {
    spec.check(received, 2, 2, 1);
  }

  @ParameterizedTest
  @CsvSource({
    "3, 1, 1, records taken must be 3: is 2",
    "2, 1, 1, read + lost + refused must be 5: is 4",
    "2, 3, 1, read + lost + refused must be 5: is 6"
  })
  void check_whenACountIsWrong_fails(long read, long lost, long passed, String message) {
    assertThatThrownBy(() -> spec.check(received, read, lost, passed))
        .isInstanceOf(AssertionError.class)
        .hasMessage(message);
  }
}
