package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Finds an option that another one resets, and two that cannot go together and are taken. */
class RingOptionsTest {
  @Test
  void factories_haveTheDefaults() {
    WaitStrategy waits = WaitStrategy.sleeping(Duration.ofNanos(50_000));
    assertThat(RingOptions.singleProducer(2))
        .isEqualTo(new RingOptions(2, false, waits, OnFull.WAIT, WaitStrategy.FOREVER));
    assertThat(RingOptions.multiProducer(1 << 30))
        .isEqualTo(new RingOptions(1 << 30, true, waits, OnFull.WAIT, WaitStrategy.FOREVER));
  }

  @Test
  void with_changesOneThingOnly() {
    RingOptions options = RingOptions.multiProducer(8);
    WaitStrategy waits = WaitStrategy.parking();
    assertThat(options.withProducerWaits(waits))
        .isEqualTo(new RingOptions(8, true, waits, OnFull.WAIT, WaitStrategy.FOREVER));
    assertThat(options.withOnFull(OnFull.SIGNAL))
        .isEqualTo(
            new RingOptions(8, true, options.producerWaits(), OnFull.SIGNAL, WaitStrategy.FOREVER));
    assertThat(options.withStallLimit(Duration.ofMillis(3)))
        .isEqualTo(new RingOptions(8, true, options.producerWaits(), OnFull.WAIT, 3_000_000));
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 1, 3, 12, (1 << 30) + 1, Integer.MAX_VALUE})
  void new_whenCapacityIsNoPowerOfTwo_namesRuleAndCapacity(int capacity) {
    for (Producers producers : Producers.values()) {
      Throws.illegalArgument(
          "capacity must be a power of two in 2..1073741824: capacity=" + capacity,
          () -> producers.options(capacity));
    }
  }

  @Test
  void with_whenNull_namesIt() {
    RingOptions options = RingOptions.multiProducer(2);
    Throws.nullArgument("producerWaits", () -> options.withProducerWaits(null));
    Throws.nullArgument("onFull", () -> options.withOnFull(null));
    Throws.nullArgument("limit", () -> options.withStallLimit(null));
    Throws.nullArgument("options", () -> Sequencer.of(null));
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 999})
  void withStallLimit_whenBelowAMicrosecond_namesRuleAndLimit(long nanos) {
    Throws.illegalArgument(
        "stallNanos must be in 1000..9223372036854775807: stallNanos=" + nanos,
        () -> RingOptions.multiProducer(2).withStallLimit(Duration.ofNanos(nanos)));
    assertThat(RingOptions.multiProducer(2).withStallLimit(Duration.ofNanos(1_000)).stallNanos())
        .isEqualTo(1_000);
  }

  // ---- what does not go together ----

  @Test
  void of_whatOneProducerCannotHave_isRefused() {
    RingOptions one = RingOptions.singleProducer(2);
    Throws.illegalArgument(
        "stallNanos must be FOREVER where one producer publishes: stallNanos=1000000",
        () -> Sequencer.of(one.withStallLimit(Duration.ofMillis(1))));
    Throws.illegalArgument(
        "onFull must not be DROP_OLDEST where one producer publishes, whose slots cannot say"
            + " that they hold nothing: onFull=DROP_OLDEST",
        () -> Sequencer.of(one.withOnFull(OnFull.DROP_OLDEST)));
  }

  @ParameterizedTest
  @EnumSource
  void of_whenAllElseIsCombined_isMade(OnFull policy) {
    if (policy != OnFull.DROP_OLDEST) {
      Sequencer.of(RingOptions.singleProducer(4).withOnFull(policy)).close();
    }
    RingOptions many = RingOptions.multiProducer(4).withOnFull(policy);
    Sequencer.of(many).close();
    Sequencer.of(many.withStallLimit(Duration.ofSeconds(1))).close();
  }
}
