package dev.millrace.core.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Sequence;
import org.junit.jupiter.api.Test;

class GateTest {
  @Test
  void admits_whenConsumerMoves_admitsAsMuchMore() {
    Sequence head = new Sequence();
    Gate gate = new Gate(4, head);
    assertThat(gate.admits(4)).isTrue();
    assertThat(gate.admits(5)).isFalse();
    head.setRelease(2);
    assertThat(gate.admits(6)).isTrue();
    assertThat(gate.admits(7)).isFalse();
  }

  @Test
  void admits_whenClosed_admitsNothingWhateverTheConsumerDoes() {
    Sequence head = new Sequence();
    Gate gate = new Gate(4, head);
    assertThat(gate.isClosed()).isFalse();
    gate.close();
    head.setRelease(4);
    assertThat(gate.admits(1)).isFalse();
    assertThat(gate.isClosed()).isTrue();
    gate.close();
    assertThat(gate.isClosed()).isTrue();
  }
}
