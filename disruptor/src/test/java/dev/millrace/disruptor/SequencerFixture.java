package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** A sequencer that is closed at the end of the test, and the steps its tests have in common. */
class SequencerFixture {
  static final WaitStrategy YIELDS = WaitStrategy.yielding();

  Sequencer sequencer;

  /** Opens a sequencer, and closes the one before it. */
  final void open(RingOptions options) {
    close();
    sequencer = Sequencer.of(options);
  }

  @AfterEach
  final void close() {
    if (sequencer != null) {
      sequencer.close();
    }
  }

  final SequenceConsumer newConsumer(SequenceConsumer... upstream) {
    return sequencer.newConsumer(YIELDS, upstream);
  }

  /** Makes the workers of a group, or a sole consumer if there are no workers. */
  final List<SequenceConsumer> newConsumers(
      int workers, WaitStrategy strategy, SequenceConsumer... upstream) {
    return workers == 0
        ? List.of(sequencer.newConsumer(strategy, upstream))
        : sequencer.newSharedConsumers(workers, strategy, upstream);
  }

  final void put(int count) {
    long first = sequencer.tryClaim(count);
    assertThat(first).isNotNegative();
    sequencer.commit(first, count);
  }

  /** Takes all that is ready, and returns the sequences. */
  static List<Long> shown(SequenceConsumer consumer, int limit) {
    List<Long> sequences = new ArrayList<>();
    int count;
    while ((count = consumer.tryPoll(limit)) > 0) {
      assertThat(count).isLessThanOrEqualTo(limit);
      for (int i = 0; i < count; i++) {
        sequences.add(consumer.sequence() + i);
      }
      consumer.release();
    }
    return sequences;
  }

  static List<Long> shown(SequenceConsumer consumer) {
    return shown(consumer, 100);
  }

  static void assertDrained(SequenceConsumer consumer) {
    assertThat(consumer.tryPoll(8)).isZero();
    assertThat(consumer.isDrained()).isTrue();
  }
}
