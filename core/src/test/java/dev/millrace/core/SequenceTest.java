package dev.millrace.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.ObjLongConsumer;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds an access method that is bound to another operation than its name says, such as one that
 * adds where it should set.
 */
class SequenceTest {
  static Stream<ObjLongConsumer<Sequence>> setters() {
    return Stream.of(
        Sequence::setPlain,
        Sequence::setOpaque,
        Sequence::setRelease,
        Sequence::setVolatile,
        Sequence::getAndSet);
  }

  static Stream<ToLongFunction<Sequence>> getters() {
    return Stream.of(
        Sequence::getPlain,
        Sequence::getOpaque,
        Sequence::getAcquire,
        Sequence::getVolatile,
        s -> s.getAndAdd(0),
        s -> s.getAndAddPlain(0),
        s -> s.getAndSet(0));
  }

  @ParameterizedTest
  @MethodSource("setters")
  void set_inEachMode_isSeenByPlainRead(ObjLongConsumer<Sequence> set) {
    Sequence sequence = new Sequence();
    set.accept(sequence, Long.MIN_VALUE);
    assertThat(sequence.getPlain()).isEqualTo(Long.MIN_VALUE);
  }

  @ParameterizedTest
  @MethodSource("getters")
  void get_inEachMode_seesInitialValue(ToLongFunction<Sequence> get) {
    assertThat(get.applyAsLong(new Sequence(42))).isEqualTo(42);
    assertThat(get.applyAsLong(new Sequence())).isZero();
  }

  @Test
  void compareAndSet_whenExpected_replacesOnce() {
    Sequence sequence = new Sequence(1);
    assertThat(sequence.compareAndSet(1, 2)).isTrue();
    assertThat(sequence.compareAndSet(1, 3)).isFalse();
    assertThat(sequence).hasToString("2");
  }

  @Test
  void getAndAdd_returnsFormerValue() {
    Sequence sequence = new Sequence(Long.MAX_VALUE);
    assertThat(sequence.getAndAdd(1)).isEqualTo(Long.MAX_VALUE);
    assertThat(sequence.getAndAddPlain(-1)).isEqualTo(Long.MIN_VALUE);
    assertThat(sequence.getPlain()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void weakCompareAndSetPlain_replacesTheExpectedInTheEnd() {
    Sequence sequence = new Sequence(7);
    assertThat(sequence.weakCompareAndSetPlain(6, 8)).isFalse();
    assertThat(sequence.getPlain()).isEqualTo(7);
    while (!sequence.weakCompareAndSetPlain(7, 8)) {
      Thread.onSpinWait(); // it may fail for no reason
    }
    assertThat(sequence.getPlain()).isEqualTo(8);
  }
}
