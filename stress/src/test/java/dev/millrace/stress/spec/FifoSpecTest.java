package dev.millrace.stress.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.stress.spec.FifoSpec.Received;
import dev.millrace.stress.spec.FifoSpec.Sent;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether what is wrong with numbered records is noticed. */
class FifoSpecTest {
  private final Sent sent = new Sent(0, 2, true);

  /** One producer of two commits 0, 2 and 4, and is refused 6. */
  private Counts balance(boolean isOrdered, String taken) {
    sent.committed(sent.nextNumber(), 3, true);
    sent.committed(6, 1, false);
    return FifoSpec.balance(FifoSpec.sent(List.of(sent)), List.of(received(isOrdered, taken)));
  }

  private static Received received(boolean isOrdered, String taken) {
    Received received = new Received(2, isOrdered);
    for (String number : taken.split(" ", -1)) {
      received.take(Long.parseLong(number));
    }
    return received;
  }

  @ParameterizedTest
  @CsvSource({"true, 0 2 4", "false, 4 0 2"})
  void balance_whenAllCame_countsThem(boolean isOrdered, String taken) {
    Counts counts = balance(isOrdered, taken);
    assertThat(counts.get("records")).isEqualTo(3);
    assertThat(counts.get("refused")).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "0 2,   records taken must be 3: is 2",
    "0 2 6, checksum must be",
    "0 4 2, number must be above 4: number=2",
    "0 0 2, number must be above 0: number=0",
    "-2,    number must be at least 0: number=-2"
  })
  void balance_whenSomethingIsWrong_fails(String taken, String message) {
    assertThatThrownBy(() -> balance(true, taken))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(message);
  }

  @Test
  void checkNoGaps_findsWhatIsMissingBeforeTheLast() {
    sent.committed(0, 3, true);
    Sent other = new Sent(1, 2, true);
    received(true, "0 2").checkNoGaps(List.of(sent, other));
    assertThatThrownBy(() -> received(true, "0 4").checkNoGaps(List.of(sent, other)))
        .isInstanceOf(AssertionError.class)
        .hasMessage("records taken up to 4 must be 3: is 2");
  }

  @Test
  void unmix_undoesMix() {
    assertThat(LongStream.of(0, 1, -1, Long.MAX_VALUE).map(FifoSpec::mix).map(FifoSpec::unmix))
        .containsExactly(0L, 1L, -1L, Long.MAX_VALUE);
  }
}
